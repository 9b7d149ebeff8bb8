"""The style sheets of what is read on a screen.

They say nothing of colour but greys, so that a reader's night colours hold, and name sides by the
direction of writing, so that they fit right-to-left and vertical pages.
"""

from __future__ import annotations

#: For both, in ems and by the direction of writing.
COMMON = """
figure { margin-block: 1.5em; margin-inline: 0; break-inside: avoid }
img { max-inline-size: 100%; max-block-size: 100vh; block-size: auto; inline-size: auto;
  object-fit: contain }
img[width] { inline-size: auto }
img.math { max-inline-size: none; max-block-size: none }
figcaption, .origin, .byline, .colophon, .missing, .address, caption { font-size: .85em }
figcaption { margin-block-start: .4em }
.credit { font-style: italic }
h1, h2, h3, h4, h5, h6 { line-height: 1.2; text-align: start; break-after: avoid; hyphens: none }
header { margin-block-end: 1.5em }
header p { margin-block: .2em }
blockquote { margin-block: 1em; margin-inline: 1.5em 0; padding-inline-start: .8em;
  border-inline-start: .15em solid #888 }
blockquote.pull { font-size: 1.2em; font-style: italic; border-inline-start: none }
.source { text-align: end }
.source.above { text-align: start; font-size: .9em }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85em; line-height: 1.35;
  padding-inline-start: .8em; border-inline-start: .1em solid #888; hyphens: none;
  text-align: start }
code, kbd, samp { font-family: monospace; overflow-wrap: anywhere; hyphens: none }
pre .string { text-decoration: underline dotted; text-underline-offset: .2em }
pre .name { font-weight: bold; font-style: italic }
.table { overflow-x: auto }
table { border-collapse: collapse; font-size: .9em }
td, th { padding: .25em .6em; border-block-end: 1px solid #999; text-align: start;
  vertical-align: top }
td.right, td.end, th.right, th.end { text-align: end }
td.center, th.center { text-align: center }
.formula { margin-block: 1em; padding-block: .2em; text-align: center; overflow-x: auto;
  overflow-y: hidden }
.embed, .missing { border: 1px solid #888; padding: .5em .8em; margin-block: 1em }
.embed p { margin-block: .2em }
.embed .kind { font-weight: bold }
.address, .colophon { overflow-wrap: anywhere }
.notes { font-size: .9em; border-block-start: 1px solid #888; margin-block-start: 2em }
aside p { margin-block: .3em }
sup { line-height: 0 }
dd { margin-inline-start: 1.5em }
:any-link { color: inherit }
"""

#: For a page in a browser.
PAGE = """
:root { color-scheme: light }
body { max-inline-size: 38em; margin-block: 2em; margin-inline: auto; padding-inline: 1em;
  font: 1.1em/1.55 Georgia, "Noto Serif", serif; overflow-wrap: break-word }
article + article { margin-block-start: 4em }
nav ol { padding-inline-start: 1.5em }
@media print { body { font-size: 11pt; margin: 0; max-inline-size: none } }
"""

#: For a book, whose reader chooses margins, face and size.
BOOK = """
@page { margin: 5% }
body { overflow-wrap: break-word }
nav ol { list-style: none; padding-inline-start: 1em }
.cover { text-align: center; break-after: page }
.cover h1 { margin-block: 20% .5em; text-align: center }
.cover img { max-block-size: 50vh; margin-block: 1em }
"""
