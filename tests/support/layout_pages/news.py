"""News layouts: columns by float, flex, grid and table; boxes inside the body; hidden copies."""

from __future__ import annotations

from tests.support.layout_pages.sheet import LabeledPage

BASE = "*{box-sizing:border-box} body{margin:0;color:#222;background:#fff} a{color:#06679e} "


def page(title: str, css: str, body: str, lang: str = "en", more: str = "") -> str:
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{BASE}{css}</style></head><body>{body}{more}</body></html>"
    )


def float_columns(s: LabeledPage) -> str:
    """Two floated columns; a floated related list and a narrow caption inside the body."""
    css = """body{font:16px/1.5 Georgia,serif} #wrap{width:1000px;margin:0 auto}
    #main{float:left;width:640px} #side{float:right;width:300px;font-size:13px}
    .nav li{display:inline-block;margin-right:14px;font:bold 13px sans-serif} .nav a{color:#fff}
    .nav{background:#234;padding:8px;margin:0} .rel{float:right;width:220px;margin:0 0 12px 16px;
    padding:10px;background:#f3f3f3;font-size:13px} .pic{float:left;width:280px;margin:0 16px 8px 0}
    .pic span{display:block;font-size:12px;color:#777} .by{font-size:13px;color:#777}
    #foot{clear:both;border-top:1px solid #ccc;font-size:12px}"""
    return page(
        "Float",
        css,
        f"""<div id=wrap><ul class=nav>{s.menu("Home World Sport Opinion")}</ul>
    <div id=main><h1>{s.title()}</h1><div class=by>{s.drop("By Ada Quill, Norrholm correspondent")}
    </div>{s.paras("3 3l")}<div class=pic>{s.picture(280, 190)}<span>{s.caption()}</span></div>
    {s.paras("4 3")}<div class=rel><b>{s.drop("More on this")}</b><ul>{s.links(3)}</ul></div>
    {s.paras("4 3l 3")}<h2>{s.head()}</h2>{s.paras("3 4")}<div class=by>{s.drop("Share this story")}
    </div></div><div id=side><h3>{s.drop("Most read")}</h3><ol>{s.links(5)}</ol></div>
    <div id=foot>{s.drop("Copyright the Sound Courier. All rights reserved.")}</div></div>""",
    )


def div_paragraphs(s: LabeledPage) -> str:
    """Flex columns; paragraphs are spans made block by CSS, nothing is called article."""
    css = """body{font:17px/1.6 sans-serif} .a1{display:flex;gap:40px;max-width:1160px;margin:0 auto}
    .b7{flex:0 0 700px} .c9{flex:1;font-size:14px} .t{display:block;margin-bottom:18px}
    .k{display:block;font-size:30px;font-weight:700} .m{display:flex;gap:20px;padding:12px 40px;
    background:#eee;font-size:14px} .q{display:block;font-size:12px;color:#888}"""
    return page(
        "Spans",
        css,
        f"""<div class=m>{s.menu("News Culture Food Travel", "span")}</div>
    <div class=a1><div class=b7><span class=k>{s.title()}</span>{s.paras("3 4 3l 4", "span", "class=t")}
    <span class=q>{s.drop("Advertisement")}</span>{s.paras("3 4 3 3", "span", "class=t")}</div>
    <div class=c9><span class=k style="font-size:18px">{s.drop("Latest")}</span>
    {s.links(6, "span", "class=t")}</div></div><div class=m>{s.drop("Imprint and privacy")}</div>""",
    )


def grid_with_rails(s: LabeledPage) -> str:
    """A grid of three: rail, text, rail; a newsletter box across the text."""
    css = """body{font:18px/1.55 Charter,Georgia,serif;display:grid;
    grid-template-columns:220px 660px 1fr;gap:30px} header,footer{grid-column:1/-1;font:14px sans-serif;
    background:#111;color:#ddd;padding:10px 30px} header a{color:#fff;margin-right:16px}
    .l,.r{font:14px sans-serif} .box{font:15px sans-serif;background:#fdf3d8;padding:20px;width:420px;
    margin:20px auto} .box input{display:block} figcaption{font:13px sans-serif;color:#666}
    figure{margin:0 0 20px}"""
    return page(
        "Grid",
        css,
        f"""<header><nav>{s.menu("Front Region Science Letters", "span")}</nav>
    </header><div class=l><p>{s.drop("Topics in this section")}</p><ul>{s.menu("Ice Harbour Islands")}
    </ul></div><main><h1>{s.title()}</h1><figure>{s.picture(660, 360)}<figcaption>{s.caption()}
    </figcaption></figure>{s.paras("3 4l 3")}<div class=box><p>{s.drop("Get the week in one letter.")}
    </p><form><input type=email><button>{s.drop("Sign up")}</button></form></div>
    {s.paras("4 3 4l")}<h2>{s.head()}</h2>{s.paras("3 3")}</main><div class=r><p>
    {s.drop("Sponsored")}</p><p>{s.teaser(2)}</p></div><footer>{s.drop("The Sound Courier Ltd.")}
    </footer>""",
    )


def table_layout(s: LabeledPage) -> str:
    """An old page set in tables, line breaks for paragraphs, font tags."""
    gap = "<br><br>"
    menu = "<br>".join(f'<a href="/{n}">{s.drop(n)}</a>' for n in ("News", "Weather", "Tides"))
    top = f"<font size=6><b>{s.title()}</b></font>{gap}"
    text = gap.join(s.para(3, n == 2) for n in range(7))
    side = "<br>".join(f'<a href="/x{n}">{s.headline()}</a>' for n in range(5))
    css = (
        "body{font:15px Verdana,sans-serif} td{vertical-align:top;padding:10px} .s{font-size:11px}"
    )
    return page(
        "Old",
        css,
        f"""<table width=980><tr><td width=150 class=s bgcolor=#dde>{menu}</td>
    <td width=580>{top}{text}</td><td width=250 class=s>{side}</td></tr><tr><td colspan=3 class=s>
    {s.drop("Mail the webmaster about this page")}</td></tr></table>""",
    )


def inset_everything(s: LabeledPage) -> str:
    """Related boxes, advertisements, a pull quote and a fact box, all inside the body's element."""
    css = """body{font:17px/1.6 "Noto Serif",serif} article{width:680px;margin:30px auto}
    .fact{float:left;width:240px;background:#eef;font:14px/1.4 sans-serif;padding:14px;
    margin:4px 20px 10px 0} .ad{width:300px;margin:16px auto;text-align:center;font:12px sans-serif}
    .also{border-left:4px solid #c00;padding-left:12px;font:15px sans-serif;width:400px}
    .pull{float:right;width:230px;font-size:24px;margin:8px 0 8px 24px} nav{padding:16px 40px}"""
    return page(
        "Inset",
        css,
        f"""<nav>{s.menu("Today Archive About", "span")}</nav><article>
    <h1>{s.title()}</h1>{s.paras("4 3")}<div class=fact><b>{s.drop("In short")}</b><p>{s.teaser(2)}
    </p></div>{s.paras("4 4l")}<div class=ad>{s.drop("Advertisement")}<div>{s.drop("Boots for all weathers, now half price")}
    </div></div>{s.paras("3 4")}<div class=also>{s.drop("See also:")} <ul>{s.links(2)}</ul></div>
    {s.paras("3 3")}<div class=pull>{s.either("A row of windows was a row of taxes")}</div>
    {s.paras("4 3 3")}</article>""",
    )


def hidden_copies(s: LabeledPage) -> str:
    """The same text for phones, hidden; a hidden menu and words for screen readers only."""
    css = """body{font:16px/1.5 sans-serif} .mob{display:none} .drawer{position:fixed;left:-320px;
    width:300px;top:0;bottom:0} .vh{position:absolute;width:1px;height:1px;overflow:hidden;
    clip:rect(0,0,0,0)} .tip{visibility:hidden;position:absolute} main{width:720px;margin:0 auto}"""
    text = [s.words(3) for _ in range(6)]
    drawer = s.menu("Front Sport Money Local Weather")
    hidden = "".join(f"<p>{s.drop(line)}</p>" for line in text[:3])
    return page(
        "Copies",
        css,
        f"""<div class=drawer><ul>{drawer}</ul></div><div class=mob>
    <h1>{s.drop("Phone edition")}</h1>{hidden}</div><main><div class=vh>{s.drop("Skip to the text")}
    </div><h1>{s.title()}</h1>{"".join(f"<p>{s.keep(line)}</p>" for line in text)}
    <div class=tip>{s.drop("Copied to the clipboard")}</div>{s.paras("3 3")}</main>
    <div class=mob>{s.drop("Open this story in our app and read without interruptions.")}</div>""",
    )


def two_stories_teaser(s: LabeledPage) -> str:
    """The story, then teasers with text in the same font in a grid of cards below."""
    css = """body{font:16px/1.6 Georgia,serif} .col{max-width:640px;margin:0 auto}
    .cards{display:grid;grid-template-columns:repeat(3,1fr);gap:24px;max-width:1100px;margin:40px auto}
    .cards h3{font-size:18px} .meta{font:13px sans-serif;color:#888}"""
    cards = "".join(
        f'<div><h3><a href="/c{n}">{s.headline()}</a></h3><p>{s.teaser(2)}</p></div>'
        for n in range(6)
    )
    return page(
        "Cards",
        css,
        f"""<div class=meta>{s.drop("Region | 4 min read")}</div><div class=col>
    <h1>{s.title()}</h1>{s.paras("3 4 3l 4 3 4 3")}</div><h2 class=col>{s.drop("Keep reading")}</h2>
    <div class=cards>{cards}</div>""",
    )


def live_updates(s: LabeledPage) -> str:
    """Headed sections in one column, times beside them in a narrow grid track."""
    css = """body{font:17px/1.5 sans-serif} main{width:760px;margin:0 auto} .e{display:grid;
    grid-template-columns:90px 1fr;gap:20px;border-top:1px solid #ddd} time{font-size:13px;color:#999}
    .e h2{font-size:20px;margin:10px 0}"""
    entries = "".join(
        f"<div class=e><time>{s.drop(f'{17 - n}:{n}4')}</time><div><h2>{s.head()}</h2>"
        f"{s.paras('3 2')}</div></div>"
        for n in range(6)
    )
    return page(
        "Live",
        css,
        f"""<nav>{s.menu("Live Weather Traffic", "span")}</nav><main>
    <h1>{s.title()}</h1>{entries}<p style="font-size:13px">{s.drop("Refresh for new entries")}</p>
    </main>""",
    )


def newspaper_columns(s: LabeledPage) -> str:
    """CSS columns: the text flows through three of the same width."""
    css = """body{font:15px/1.45 "Times New Roman",serif} .paper{width:1100px;margin:0 auto;
    column-count:3;column-gap:30px} h1{text-align:center;font-size:44px} .paper p{margin:0 0 10px}
    .bar{font:12px sans-serif;text-align:center;color:#555}"""
    return page(
        "Columns",
        css,
        f"""<div class=bar>{s.menu("Front Letters Births", "span")}</div>
    <h1>{s.title()}</h1><div class=paper>{s.paras("3 3 3 3 3 3 3 3 3 3 3 3")}</div>
    <div class=bar>{s.drop("Printed every Saturday in Aldermoor")}</div>""",
    )


def sticky_and_cookie(s: LabeledPage) -> str:
    """A cookie wall over a page that may not scroll, an app banner, a sticky share bar."""
    css = """html,body{overflow:hidden;height:100%} body{font:16px/1.6 sans-serif} main{width:680px;
    margin:70px auto} .wall{position:fixed;inset:0;background:#000a;z-index:99} .wall div{width:520px;
    margin:160px auto;background:#fff;padding:24px} .app{position:fixed;bottom:0;left:0;right:0;
    background:#063;color:#fff} .share{position:sticky;top:0;font-size:12px;color:#888}"""
    wall = f"""<div class=wall><div><h2>{s.drop("Your privacy matters to us")}</h2>
    <p>{s.drop("We and our 412 partners store and read information on your device to measure how our pages are used and to show advertisements that suit you.")}</p>
    <p>{s.drop("You can change your choice at any time in the settings of this site.")}</p>
    <button>{s.drop("Accept all")}</button><button>{s.drop("Settings")}</button></div></div>"""
    return page(
        "Wall",
        css,
        f"""{wall}<main><div class=share>{s.drop("Share Mail Print")}</div>
    <h1>{s.title()}</h1>{s.paras("3 4l 3 4 3 4 3")}</main><div class=app>
    {s.drop("Read more comfortably in the app")}</div>""",
    )


def comments_below(s: LabeledPage) -> str:
    """Comments in the very column and font of the story."""
    css = """body{font:16px/1.6 Georgia,serif} .w{width:660px;margin:0 auto} .c{margin-left:30px;
    border-left:2px solid #ddd;padding-left:12px;font:14px/1.4 sans-serif} .n{font-weight:bold}"""
    names = ("harbourcat", "old_salt", "Minna K", "dripfeed")
    story = f"<h1>{s.title()}</h1>{s.paras('3 4 3l 4 3 3')}"
    comments = "".join(
        f"<div class=c><div class=n>{s.drop(name)}</div><p>{s.teaser(2)}</p></div>"
        for name in names
    )
    return page(
        "Comments",
        css,
        f"""<div class=w>{story}<h2>{s.drop("4 comments")}</h2>{comments}
    </div>""",
    )


def paywall_teaser(s: LabeledPage) -> str:
    """Three paragraphs, the third fading out, and a box with a subscription offer."""
    css = """body{font:18px/1.6 Georgia,serif} main{width:640px;margin:0 auto} .cut{max-height:90px;
    overflow:hidden;-webkit-mask-image:linear-gradient(#000,transparent)} .pay{font:16px sans-serif;
    background:#f7efe2;padding:30px;text-align:center} nav{font:14px sans-serif}"""
    return page(
        "Paywall",
        css,
        f"""<nav>{s.menu("Home Politics Account", "span")}</nav><main>
    <h1>{s.title()}</h1>{s.paras("4 4")}<div class=cut>{s.paras("4 4")}</div><div class=pay>
    <h3>{s.drop("Read on for one crown a week")}</h3><p>{s.drop("Already a subscriber? Sign in.")}</p>
    <button>{s.drop("Subscribe now")}</button></div></main>""",
    )


PAGES = [
    float_columns, div_paragraphs, grid_with_rails, table_layout, inset_everything, hidden_copies,
    two_stories_teaser, live_updates, newspaper_columns, sticky_and_cookie, comments_below,
    paywall_teaser,
]  # fmt: skip
