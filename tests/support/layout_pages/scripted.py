"""Pages whose text is rendered by scripts, or collapsed until a click."""

from __future__ import annotations

import json

from tests.support.layout_pages.news import page
from tests.support.layout_pages.sheet import LabeledPage

COLUMN = """body{font:17px/1.6 Georgia,serif} .m{width:680px;margin:0 auto}
.n{font:14px sans-serif;background:#eee;padding:10px 30px} .n span{margin-right:14px}
.s{font:13px sans-serif;color:#777} """


def nav(s: LabeledPage) -> str:
    return f"<div class=n>{s.menu('Home Region Culture Letters', 'span')}</div>"


def fetched_after_load(s: LabeledPage) -> str:
    """A shell whose text comes as JSON when the page has loaded."""
    texts = [s.para(3) for _ in range(7)]
    data = s.serve("/story.json", json.dumps({"p": texts}), "application/json")
    title = s.title()
    return page(
        "Fetch",
        COLUMN,
        f"""{nav(s)}<div class=m id=app><p class=s>Loading …</p></div>
    <div class=s>{s.drop("Made by the Sound Courier")}</div>""",
        more=f"""<script>
    fetch("{data}").then((r) => r.json()).then((d) => setTimeout(() => {{
      const app = document.getElementById("app");
      app.innerHTML = "<h1>{title}</h1>" + d.p.map((t) => "<p>" + t + "</p>").join("");
    }}, 120));</script>""",
    )


def hydrated(s: LabeledPage) -> str:
    """Text on the page from the start that a script replaces by the same with more."""
    early = s.paras("3 3")
    late = s.paras("4 3 3 4")
    side = s.links(4)
    return page(
        "Hydrate",
        COLUMN + ".x{position:absolute;right:20px;top:80px;width:220px}",
        f"""
    {nav(s)}<div class=m id=root><h1>{s.title()}</h1>{early}</div>
    <div class="x s" id=x></div>""",
        more=f"""<script>addEventListener("load", () => {{
      document.getElementById("root").insertAdjacentHTML("beforeend", {json.dumps(late)});
      document.getElementById("x").innerHTML = {json.dumps("<ul>" + side + "</ul>")};
    }});</script>""",
    )


def infinite_scroll(s: LabeledPage) -> str:
    """Other stories load one after another below when the end comes into view."""
    story = f"<article><h1>{s.title()}</h1>{s.paras('3 4 3 4l 3 4')}</article>"
    more = f"<h2>{s.headline()}</h2><p>{s.teaser(2)}</p>"
    data = s.serve("/next", more)
    css = COLUMN + ".o{font:14px sans-serif;color:#555;margin:90px auto;width:860px}"
    return page(
        "Scroll",
        css,
        f"""{nav(s)}<div class=m>{story}</div><div id=end class=o>&nbsp;</div>
    """,
        more=f"""<script>let done = false; new IntersectionObserver((all) => {{
      if (done || !all.some((one) => one.isIntersecting)) return; done = true;
      fetch("{data}").then((r) => r.text()).then((t) => {{
        document.getElementById("end").innerHTML = t; }});
    }}).observe(document.getElementById("end"));</script>""",
    )


def read_more(s: LabeledPage) -> str:
    """The rest of the text is collapsed behind a labeled control."""
    return page(
        "More",
        COLUMN + "[hidden]{display:none}",
        f"""{nav(s)}<div class=m>
    <h1>{s.title()}</h1>{s.paras("3 3")}<button aria-expanded=false aria-controls=rest
    onclick="this.remove();document.getElementById('rest').hidden=false">Continue</button>
    <div id=rest hidden>{s.paras("4 3 4 3")}</div></div><p class=s>{s.drop("Send us a letter")}</p>""",
    )


def clipped(s: LabeledPage) -> str:
    """The text is cut by a limit of height with a shade over its end."""
    css = (
        COLUMN
        + """.cut{max-height:340px;overflow:hidden;position:relative} .cut:after{content:"";
    position:absolute;bottom:0;height:80px;left:0;right:0;background:linear-gradient(#fff0,#fff)}"""
    )
    return page(
        "Clip",
        css,
        f"""{nav(s)}<div class=m><h1>{s.title()}</h1><div class=cut>
    {s.paras("4 3 4 3 4 3")}</div><a class=s href="#all" onclick="return false">
    {s.drop("Show the whole text")}</a></div>""",
    )


def folded_details(s: LabeledPage) -> str:
    """Questions and answers in details."""
    items = "".join(
        f"<details><summary>{s.head()}</summary><p>{s.para(3)}</p></details>" for _ in range(5)
    )
    css = COLUMN + "summary{font-weight:bold}"
    return page(
        "Answers",
        css,
        f"""{nav(s)}<div class=m><h1>{s.title()}</h1>{s.paras("3 3")}{items}
    {s.paras("3")}<p class=s>{s.drop("Was this page of help? Yes No")}</p></div>""",
    )


def shadow_tree(s: LabeledPage) -> str:
    """The text is in a shadow tree with its own style sheet."""
    inner = f"<style>p{{font:18px/1.5 serif}}</style><h1>{s.title()}</h1>{s.paras('4 3 4 3 3')}"
    return page(
        "Shadow",
        COLUMN,
        f"""{nav(s)}<div class=m><x-story></x-story></div>
    <div class=s>{s.drop("Typeset with care in Aldermoor")}</div>""",
        more=f"""<script>
    customElements.define("x-story", class extends HTMLElement {{ connectedCallback() {{
      this.attachShadow({{mode: "open"}}).innerHTML = {json.dumps(inner)}; }} }});</script>""",
    )


def revealed(s: LabeledPage) -> str:
    """Paragraphs fade in when they come into view."""
    css = (
        COLUMN + ".m p{opacity:0;transition:opacity .2s} .m p.on{opacity:1} .m p{min-height:180px}"
    )
    return page("Reveal", css, f"""{nav(s)}<div class=m><h1>{s.title()}</h1>
    {s.paras("3 4 3 4 3 4")}</div><div class=s>{s.drop("Photographs by the author")}</div>""",
                more="""<script>
    const eye = new IntersectionObserver((all) => { for (const one of all)
      if (one.isIntersecting) one.target.classList.add("on"); });
    for (const p of document.querySelectorAll(".m p")) eye.observe(p);</script>""")  # fmt: skip


def scripted_consent(s: LabeledPage) -> str:
    """A script puts a layer over the page, locks it, and asks for consent at length."""
    wall = f"""<div style="position:fixed;left:0;right:0;bottom:0;background:#fff;padding:20px;
    font:15px sans-serif;box-shadow:0 0 20px #0008"><p>{s.drop("We use cookies and similar techniques to keep our offer running, to understand how it is used, and to pay for it with advertisements.")}
    </p><p>{s.drop("Some of our partners process your data on the ground of their legitimate interest, to which you may object.")}
    </p><button>{s.drop("I agree")}</button></div>"""
    return page(
        "Consent",
        COLUMN,
        f"""{nav(s)}<div class=m><h1>{s.title()}</h1>
    {s.paras("4 3 4l 3 4")}</div>""",
        more=f"""<script>setTimeout(() => {{
      document.body.insertAdjacentHTML("beforeend", {json.dumps(wall)});
      document.body.style.overflow = "hidden"; }}, 80);</script>""",
    )


def framed_advertisement(s: LabeledPage) -> str:
    """Frames with advertisements and a map between the paragraphs."""
    frame = s.serve("/ad", "<p>A frame's own words about boots and coats for the winter.</p>")
    css = COLUMN + "iframe{width:300px;height:250px;border:0;display:block;margin:16px auto}"
    return page(
        "Frames",
        css,
        f"""{nav(s)}<div class=m><h1>{s.title()}</h1>{s.paras("3 4")}
    <iframe src="{frame}"></iframe>{s.paras("4 3l")}<iframe src="{frame}" loading=lazy></iframe>
    {s.paras("3 4")}<p class=s>{s.drop("The map is by the survey office")}</p></div>""",
    )


def tabs(s: LabeledPage) -> str:
    """A story with other panels behind tabs, of which one is shown."""
    css = COLUMN + ".tab{display:none} .tab.on{display:block} .h span{padding:6px 12px}"
    return page(
        "Tabs",
        css,
        f"""{nav(s)}<div class=m><h1>{s.title()}</h1><div class="h s">
    {s.menu("Story Pictures Discussion", "span")}</div><div class="tab on">{s.paras("3 4 3 4 3")}</div>
    <div class=tab><p>{s.teaser(1)}</p><p>{s.teaser(1)}</p></div><div class=tab><p>{s.teaser(2)}</p>
    </div></div>""",
    )


def carousel(s: LabeledPage) -> str:
    """Slides with captions of which one is in view, between the paragraphs."""
    slides = "".join(
        f"<div class=sl>{s.picture(680, 300)}<div class=s>{s.caption()}</div></div>"
        for _ in range(4)
    )
    css = (
        COLUMN + ".ca{width:680px;overflow:hidden} .tr{display:flex;width:2720px} .sl{width:680px}"
    )
    return page(
        "Slides",
        css,
        f"""{nav(s)}<div class=m><h1>{s.title()}</h1>{s.paras("3 4")}
    <div class=ca><div class=tr>{slides}</div></div>{s.paras("4 3 4 3l 3")}</div>""",
    )


PAGES = [
    fetched_after_load, hydrated, infinite_scroll, read_more, clipped, folded_details, shadow_tree,
    revealed, scripted_consent, framed_advertisement, tabs, carousel,
]  # fmt: skip
