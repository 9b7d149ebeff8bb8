"""Other kinds of pages: blogs, documentation, reports, recipes; Chinese and Arabic ones."""

from __future__ import annotations

from tests.support.layout_pages.news import page
from tests.support.layout_pages.sheet import LabeledPage
from tests.support.layout_pages.words import ARABIC, CHINESE


def chinese_news(s: LabeledPage) -> str:
    s.sentences = CHINESE
    s.__post_init__()
    css = """body{font:16px/1.8 "Noto Sans CJK SC",sans-serif} .top{background:#b00;padding:8px 60px}
    .top a{color:#fff;margin-right:18px;font-size:14px} .w{width:1000px;margin:0 auto;display:flex;
    gap:40px} .x{width:660px} .x p{text-indent:2em;margin:0 0 14px} .y{flex:1;font-size:13px}
    h1{font-size:28px} .i{color:#999;font-size:12px}"""
    side = "".join(f'<li><a href="/z{n}">{s.drop(t)}</a></li>' for n, t in enumerate(
        ("沙丘移向下一个村庄", "没有指挥的合唱团", "保存苹果的七种方法", "游泳者回到运河")))  # fmt: skip
    tools = "".join(f'<a href="/{n}">{s.drop(n)}</a>' for n in ("首页", "国际", "财经", "体育"))
    return page(
        "冰封",
        css,
        f"""<div class=top>{tools}</div><div class=w><div class=x>
    <h1>{s.either("海峡封冻，渡轮停航")}</h1><div class=i>{s.drop("2026年1月13日 来源：海峡晚报")}</div>
    {s.paras("2 3 2 3 2 2")}<div class=i>{s.drop("责任编辑：林舟")}</div></div><div class=y>
    <b>{s.drop("热门新闻")}</b><ul>{side}</ul></div></div>
    <div class=i>{s.drop("版权所有，未经许可不得转载")}</div>""",
        "zh",
    )


def chinese_divs(s: LabeledPage) -> str:
    s.sentences = CHINESE
    s.__post_init__()
    css = """body{font:17px/1.9 "Noto Serif CJK SC",serif;background:#fafafa} .m{width:620px;
    margin:0 auto;background:#fff;padding:30px} .m>div{margin-bottom:16px} .s{font-size:12px;
    color:#aaa} .f{position:fixed;bottom:0;width:100%;background:#ff9;text-align:center}"""
    text = s.paras("3 2 3 2 3 2", "div")
    return page("地图", css, f"""<div class=m><div style="font-size:26px;font-weight:700">
    {s.either("阁楼里的地图")}</div><div class=s>{s.drop("昨天 18:20 阅读 1204")}</div>{text}
    <div class=s>{s.drop("点赞 收藏 转发")}</div></div><div class=f>{s.drop("打开应用，阅读全文更流畅")}</div>""",
                "zh")  # fmt: skip


def arabic_news(s: LabeledPage) -> str:
    s.sentences = ARABIC
    s.__post_init__()
    css = """body{font:18px/1.9 "Noto Naskh Arabic",serif;direction:rtl} nav{background:#143;padding:10px}
    nav a{color:#fff;margin-left:18px;font-size:15px} .w{width:1040px;margin:0 auto}
    .t{float:right;width:680px} .k{float:left;width:300px;font-size:14px} .c{font-size:13px;color:#777}
    .p{float:left;width:260px;margin:0 16px 8px 0}"""
    menu = "".join(
        f'<a href="/{n}">{s.drop(n)}</a>' for n in ("الرئيسية", "اقتصاد", "رياضة", "ثقافة")
    )
    side = "".join(f'<li><a href="/r{n}">{s.drop(t)}</a></li>' for n, t in enumerate(
        ("الكثبان تزحف نحو القرية", "جوقة بلا قائد", "الجسر الذي يغني")))  # fmt: skip
    return page(
        "الجليد",
        css,
        f"""<nav>{menu}</nav><div class=w><div class=t>
    <h1>{s.either("الجليد يعزل الجزيرة")}</h1><div class=c>{s.drop("كتبت مراسلتنا من الميناء")}</div>
    {s.paras("2 2")}<div class=p>{s.picture(260, 170)}<div class=c>
    {s.note("الرصيف صباح الثلاثاء", "caption")}</div></div>{s.paras("2 2 2 2 2")}</div><div class=k>
    <b>{s.drop("الأكثر قراءة")}</b><ul>{side}</ul></div></div>""",
        "ar",
    )


def arabic_blog(s: LabeledPage) -> str:
    s.sentences = ARABIC
    s.__post_init__()
    css = """body{font:19px/2 "Noto Sans Arabic",sans-serif} main{width:640px;margin:0 auto}
    blockquote{margin:0 40px;border-right:3px solid #999;padding-right:16px} .s{font-size:14px}"""
    return page(
        "الخرائط",
        css,
        f"""<main dir=rtl><h1>{s.either("خرائط من العلية")}</h1>
    {s.paras("3 3")}<blockquote><p>{s.para(1)}</p></blockquote>{s.paras("2 2 2")}<p class=s>
    {s.drop("اشترك في النشرة البريدية")}</p></main>""",
        "ar",
    )


def blog(s: LabeledPage) -> str:
    """A blog: quotation, list, picture over the full width, author's box, older and newer."""
    css = """body{font:19px/1.6 "EB Garamond",Georgia,serif;color:#333} .post{max-width:700px;margin:0 auto}
    blockquote{margin:20px 40px;font-style:italic} img{max-width:100%} figure{margin:20px 0}
    figcaption{font-size:14px;color:#888;text-align:center} .bio{display:flex;gap:16px;font:14px sans-serif;
    background:#f6f6f6;padding:16px} .pager{display:flex;justify-content:space-between;font:14px sans-serif}
    header{font:15px sans-serif;text-align:center}"""
    items = "".join(f"<li>{s.para(1)}</li>" for _ in range(4))
    return page(
        "Blog",
        css,
        f"""<header>{s.menu("Posts About Feed", "span")}</header><div class=post>
    <h1>{s.title()}</h1>{s.paras("3 4")}<blockquote><p>{s.para(2)}</p></blockquote>{s.paras("3")}
    <figure>{s.picture(700, 420)}<figcaption>{s.caption()}</figcaption></figure>
    <h2>{s.head()}</h2>{s.paras("4l")}<ul>{items}</ul>{s.paras("3 3")}<div class=bio>
    {s.picture(60, 60)}<div>{s.drop("Ines writes about wood, water and weather, mostly from the shed.")}
    </div></div><div class=pager><a href="/o">{s.headline()}</a><a href="/n">{s.headline()}</a></div>
    </div>""",
    )


def documentation(s: LabeledPage) -> str:
    """A fixed side bar of links, code, a table, an admonition, a list of contents at the right."""
    css = """body{font:16px/1.6 system-ui,sans-serif} .sb{position:fixed;left:0;top:0;width:250px;
    height:100%;overflow:auto;background:#f5f5f5;font-size:14px} .toc{position:fixed;right:20px;top:20px;
    width:200px;font-size:13px} main{margin:0 260px 0 290px;max-width:720px} pre{background:#f0f0f0;
    padding:12px;overflow:auto} table{border-collapse:collapse;width:100%} td,th{border:1px solid #ddd;
    padding:6px;text-align:left} .note{border-left:4px solid #08c;padding:1px 16px;background:#eef7fd}"""
    rows = "".join(
        f"<tr><td>{s.keep(a)}</td><td>{s.keep(b)}</td></tr>"
        for a, b in (("depth", "metres of ice under the drill"), ("rate", "growth in a night"))
    )
    side = s.menu("Start Install Measure Report Upgrade Licence")
    toc = "".join(
        f'<li><a href="#h{n}">{s.drop(t)}</a></li>' for n, t in enumerate(("Drill", "Log"))
    )
    head = f"<h1>{s.title()}</h1>{s.paras('3 3')}<h2 id=h0>{s.keep('Drilling')}</h2>"
    table = f"<table><tr><th>{s.keep('Field')}</th><th>{s.keep('Meaning')}</th></tr>"
    code = s.keep("drill --depth 40 --log holes.csv")
    return page(
        "Manual",
        css,
        f"""<div class=sb><ul>{side}</ul></div><main>{head}<pre>{code}</pre>
    {s.paras("3l 2")}<div class=note><p>{s.para(2)}</p></div><h2 id=h1>{s.keep("Fields")}</h2>
    {table}{rows}</table>{s.paras("3 3")}</main>
    <div class=toc><ul>{toc}</ul></div>""",
    )


def recipe(s: LabeledPage) -> str:
    """Ingredients in a narrow column beside the steps."""
    css = """body{font:17px/1.6 Georgia,serif} main{width:820px;margin:0 auto} .g{display:grid;
    grid-template-columns:250px 1fr;gap:40px} .btn{font:14px sans-serif;background:#c30;color:#fff}
    ol li{margin-bottom:12px} .rate{font-size:14px}"""
    goods = ("500 g rye flour from the valley", "350 ml water, lukewarm", "150 g sourdough",
             "11 g salt", "a handful of sunflower seeds")  # fmt: skip
    steps = "".join(f"<li>{s.para(2)}</li>" for _ in range(5))
    intro = f"<h1>{s.title()}</h1>{s.paras('3 3')}<a class=btn>{s.drop('Jump to comments')}</a>"
    left = f"<h2>{s.keep('Ingredients')}</h2><ul>{''.join(f'<li>{s.keep(g)}</li>' for g in goods)}</ul>"
    return page(
        "Rye",
        css,
        f"""<main>{intro}<div class=g><div>{left}</div><div>
    <h2>{s.keep("Method")}</h2><ol>{steps}</ol></div></div>{s.paras("3")}<p class=rate>
    {s.drop("Rate this recipe: 4.6 of 5 from 213 votes")}</p></main>""",
    )


def magazine_hero(s: LabeledPage) -> str:
    """A picture as CSS background behind the title, drop cap, full-bleed quote between."""
    css = f"""body{{font:20px/1.6 "EB Garamond",serif}} .hero{{height:420px;color:#fff;
    background:#345 url({s.picture(1280, 420, "234", "x")}) center/cover}} .hero h1{{padding:280px 60px 0;
    margin:0}} .cap{{float:left;font-size:64px;line-height:52px}} .t{{width:660px;margin:0 auto}}
    .big{{font-size:34px;text-align:center;padding:40px 120px}} .fig{{width:400px;height:260px;
    background:url({s.picture(400, 260, "753", "y")})}} .fig+p{{font-size:14px;width:400px}}"""
    first = s.words(4)
    head = s.title()
    cap = s.keep(f"<span class=cap>{first[0]}</span>{first[1:]}")
    return page(
        "Hero",
        css,
        f"""<div class=hero><h1>{head}</h1></div><div class=t><p>{cap}</p>
    {s.paras("3 4")}</div><div class=big>{s.either("Restored by patience and felt")}</div><div class=t>
    {s.paras("4 3l")}<div class=fig></div><p>{s.caption()}</p>{s.paras("4 3 3")}</div>""",
    )


def report_with_notes(s: LabeledPage) -> str:
    """A report: numbered headings, a wide table, footnotes in small print at the end."""
    css = """body{font:16px/1.55 "Noto Serif",serif} #r{width:740px;margin:0 auto} table{width:100%;
    font-size:14px} .fn{font-size:13px;border-top:1px solid #999} .bc{font:13px sans-serif;color:#888}"""
    crumbs = s.drop("Home » Reports » Winter")
    top = f"<h1>{s.title()}</h1>{s.paras('3 3')}<h2>{s.keep('1 Measurements')}</h2>{s.paras('3')}"
    cells = [(f"Station {n}", f"{n * 7 + 14} cm", f"{n * 3 + 2}.{n} knots") for n in range(11, 16)]
    table = "".join(
        "<tr>" + "".join(f"<td>{s.keep(cell)}</td>" for cell in row) + "</tr>" for row in cells
    )
    return page(
        "Report",
        css,
        f"""<div id=r><div class=bc>{crumbs}</div>{top}<table>{table}</table>
    <h2>{s.keep("2 Findings")}</h2>{s.paras("4 3 4 3")}<div class=fn><p>{s.para(1)}</p><p>{s.para(1)}
    </p></div></div>""",
    )


def forum_first_post(s: LabeledPage) -> str:
    """A question and its answers, each beside a column of the writer's data."""
    css = """body{font:15px/1.5 Arial,sans-serif} .post{display:table;width:960px;margin:10px auto;
    background:#f9f9f9} .who{display:table-cell;width:160px;font-size:12px;color:#666;padding:10px}
    .say{display:table-cell;padding:10px} .bar{width:960px;margin:0 auto;font-size:13px}"""
    posts = "".join(
        f"<div class=post><div class=who><b>{s.drop(name)}</b><div>{s.drop(f'Posts: {n * 31 + 7}')}"
        f"</div></div><div class=say>{s.paras('3 2')}</div></div>"
        for n, name in enumerate(("eider", "rimefrost", "k_oster", "planksman"))
    )
    return page(
        "Forum",
        css,
        f"""<div class=bar>{s.menu("Forum Rules Login", "span")}</div>
    <h1 class=bar>{s.title()}</h1>{posts}<div class=bar>{s.drop("Page 1 of 1")}</div>""",
    )


PAGES = [
    chinese_news, chinese_divs, arabic_news, arabic_blog, blog, documentation, recipe,
    magazine_hero, report_with_notes, forum_first_post,
]  # fmt: skip
