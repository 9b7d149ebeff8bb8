"""What fuzzing begins with: a small sound example of each kind, and words worth trying."""

from __future__ import annotations

_HTML = b"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A walk - Site</title>
<meta property="og:title" content="A walk"><base href="/x/"><script type="application/ld+json">
{"@type":"NewsArticle","headline":"A walk","author":{"name":"Ann"},"datePublished":"2024-05-01"}
</script></head><body><nav><a href="/">Home</a></nav><article><h1>A walk</h1><p class="byline">By
Ann, <time datetime="2024-05-01">1 May</time></p><p>The <b>river</b> &amp; the mill&#233;<br>were
<a href="#n1">there</a><sup>1</sup>.</p><figure><img src="a.jpg" srcset="b.jpg 2x" alt="mill"
width="600" height="400"><figcaption>The mill. Photo: Ann</figcaption></figure><ul><li>one<li>two
</ul><table><tr><th colspan=2>a<td>1</table><pre><code class="language-py">x = 1</code></pre>
<math><mfrac><mi>a</mi><mn>2</mn></mfrac></math> $x^2$ <blockquote>so</blockquote><dl><dt>a<dd>b
</dl><ruby>a<rt>b</ruby><details><summary>s</summary>t</details><p id="n1">1. A note.</p>
<svg viewBox="0 0 9 9"><use href="#a"/></svg><!-- c --><template shadowrootmode="open"><p>x
</template></article><section class="comments"><p>First!</p></section></body></html>"""
_FIGURE = b"""<figure class="wide"><picture><source srcset="a.webp 1x, b.webp 2x" type="image/webp">
<img src="a.jpg" data-src="b.jpg" alt="The mill" width="600" height="400"></picture><figcaption>The
mill <span class="credit">Photo: Ann / Agency</span></figcaption></figure><div class="image">
<img src="c.png" style="width:50%"><p class="caption">A bridge</p></div><video poster="p.jpg">"""
_RSS = b"""<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>F</title>
<link>https://fuzz.test/</link><item><title>A &amp; b</title><link>/a</link><guid>1</guid>
<pubDate>Wed, 01 May 2024 10:00:00 +0200</pubDate><description><![CDATA[<p>x</p>]]></description>
</item></channel></rss>"""
_ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://fuzz.test/"><entry><title
type="html">a</title><link rel="alternate" href="b"/><updated>2024-05-01T10:00:00Z</updated><content
type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">x</div></content></entry></feed>"""
_JSON = b"""{"version":"https://jsonfeed.org/version/1.1","title":"F","items":[{"id":"1","url":
"https://fuzz.test/a","title":"A","content_html":"<p>x</p>","date_published":"2024-05-01T10:00:00Z",
"authors":[{"name":"Ann"}]}]}"""
_OPML = b"""<opml version="2.0"><body><outline text="News"><outline type="rss" text="A"
xmlUrl="https://fuzz.test/feed"/></outline></body></opml>"""
_MAIL = b"""From: =?utf-8?q?Ann?= <ann@fuzz.test>\r
Subject: A walk\r
Date: Wed, 01 May 2024 10:00:00 +0200\r
Message-ID: <1@fuzz.test>\r
MIME-Version: 1.0\r
Content-Type: multipart/related; boundary="b"\r
\r
--b\r
Content-Type: text/html; charset=utf-8\r
Content-Transfer-Encoding: quoted-printable\r
\r
<p>x=3D1 <img src=3D"cid:p"></p>\r
--b\r
Content-Type: image/png\r
Content-ID: <p>\r
Content-Transfer-Encoding: base64\r
\r
iVBORw0KGgo=\r
--b--\r
"""
_DIGEST = b"""theme = "book"
dpi = 200
timeout = 2.5
header = ["A: b"]
[[digest]]
name = "morning"
schedule = "0 6 * * mon-fri"
timezone = "Europe/Paris"
age = "2 days"
include = ["mill", "/br.dge/"]
[[digest.source]]
feed = "https://fuzz.test/feed"
[[digest.deliver]]
mail = "a@fuzz.test"
"""
_THEME = b"""description = "x"
extends = "article"
[page]
font_size = 11
[fonts]
text = ["Inter"]
[variables.tint]
kind = "color"
value = "#333"
"""

SEEDS: dict[str, tuple[bytes, ...]] = {
    "parse": (_HTML,),
    "segments": (_HTML,),
    "extract": (_HTML,),
    "captions": (_FIGURE,),
    "feeds": (_RSS, _ATOM, _JSON, _OPML),
    "mail": (_MAIL,),
    "rules": (
        b'drop = ["aside.ad > p:first-child", "li:nth-child(2n+1)"]\ntitle = "h1"\n',
        b"div:not(.a, #b):has(> p[class~=x i]) ~ ul",
        b"//div[contains(@class, 'a')]/p[position() < 3 and not(a)]\ntitle: //h1\nstrip: //aside",
        b"strip_id_or_class: ad\nstrip_image_src: pixel\nnext_page_link: //a[@rel='next']",
    ),
    "config": (_DIGEST, _THEME),
    "cookies": (b"# Netscape HTTP Cookie File\nfuzz.test\tFALSE\t/\tTRUE\t1999999999\tname\tvalue\n",),
    "drawing": (
        b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><style>.a{fill:red}</style><g'
        b' id="g"><path class="a" d="M0 0L9 9"/></g><use href="#g" transform="scale(2)"/><text x="1"'
        b' y="2">a</text></svg>',
    ),
}  # fmt: skip

WORDS = (
    "<p>", "</p>", "<div", "<table>", "<tr>", "<td>", "<svg>", "<math>", "<script>", "</script>",
    "<style>", "<!--", "-->", "<![CDATA[", "]]>", "<?xml", "<!DOCTYPE", "<!ENTITY", "&#0;", "&#xD800;",
    "&#11;", "&amp;", "\\u0000", "\\ud800", "{\"@type\":", "\"@graph\":[", "application/ld+json",
    "articleBody", "figcaption", "srcset=", " 2x,", "data:image/png;base64,", "javascript:", "file://",
    "http://[", "//", "charset=", "utf-7", "utf-16", "\xef\xbb\xbf", "\xff\xfe", "<item>", "<entry>",
    "xmlns:", "Content-Type:", "multipart/mixed", "boundary=", "=?utf-8?q?", "=?utf-8?b?", "charset*0*=",
    ":not(", ":has(", ":nth-child(", "[a|=", "contains(", "//*", "following::", "[[digest]]", "1e999",
    "9999999999999999999", "0x7fffffff", "nan", "inf", "1979-05-27T07:32:00Z", "'''", "\"\"\"", "$$", "\\(",
    "\\begin{align}", "colspan=", "rowspan=", "rel=next", "template", "shadowrootmode", "viewBox", "url(#",
)  # fmt: skip
