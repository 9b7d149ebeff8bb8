"""Articles built from values: one with every kind of block, and one for each of several scripts."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

from PIL import Image, ImageDraw

from printer.article import (
    Article,
    Block,
    Cell,
    Code,
    Definition,
    DefinitionList,
    Direction,
    Embed,
    Figure,
    Heading,
    Item,
    List,
    Math,
    Note,
    Paragraph,
    Quote,
    Rule,
    Span,
    Spans,
    Table,
)
from printer.output import Picture

LANDSCAPE = "https://valley.example.org/img/landscape.jpg"
TOWER = "https://valley.example.org/img/tower.png"
MISSING = "https://valley.example.org/img/lost.jpg"


def spans(*pieces: Span | str) -> Spans:
    return tuple(piece if isinstance(piece, Span) else Span(piece) for piece in pieces)


def paragraph(*pieces: Span | str) -> Paragraph:
    return Paragraph(spans(*pieces))


def heading(text: str, level: int = 2, name: str = "") -> Heading:
    return Heading(level, spans(text), id=name)


def items(*texts: str | tuple[Block, ...], ordered: bool = False, **options: object) -> List:
    entries = (Item((paragraph(text),) if isinstance(text, str) else text) for text in texts)
    return List(tuple(entries), ordered=ordered, **options)  # type: ignore[arg-type]


def cells(*texts: str, header: bool = False) -> tuple[Cell, ...]:
    return tuple(Cell((paragraph(text),), header=header) for text in texts)


def landscape(width: int = 900, height: int = 560) -> Image.Image:
    """Return a picture of hills under an evening sky."""
    image = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(image)
    for y in range(height):
        t = y / height
        draw.line(
            [(0, y), (width, y)], fill=(int(90 + 150 * t), int(130 + 80 * t), int(190 - 40 * t))
        )
    draw.ellipse([width * 0.7, height * 0.2, width * 0.78, height * 0.33], fill=(250, 236, 190))
    for layer, shade in enumerate((120, 90, 55)):
        top = height * (0.5 + 0.15 * layer)
        hill = [
            (x, top + 40 * ((x * (layer + 2) // 90) % 2) - (x % 90) / 3)
            for x in range(0, width, 45)
        ]
        draw.polygon(
            [(0, height), *hill, (width, height)], fill=(shade // 2, shade, shade // 2 + 20)
        )
    return image


def jpeg(image: Image.Image) -> Picture:
    file = BytesIO()
    image.save(file, "JPEG", quality=85)
    return Picture(file.getvalue(), "image/jpeg", image.width, image.height)


def png(image: Image.Image) -> Picture:
    file = BytesIO()
    image.save(file, "PNG")
    return Picture(file.getvalue(), "image/png", image.width, image.height)


def pictures() -> dict[str, Picture]:
    """Return the pictures of the sample article, one of which is missing."""
    return {LANDSCAPE: jpeg(landscape()), TOWER: png(landscape(300, 1400))}


_RIVER = (
    "The river Lenne rises under the ridge of Harrow Fell, takes in two becks and a mill race, and "
    "comes down through the meadows so slowly that the herons stand in it to their knees. For three "
    "hundred years the only way across was the ferry at Hollin, a flat boat on a chain, worked by "
    "hand and by a single family."
)
_WINTER = (
    "In the winter of the great frost the chain froze to its post and could not be freed for eleven "
    "weeks. People walked. When the thaw came the boat had sprung its planks, and the question that "
    "nobody had asked aloud was asked in the chapel, in the inn and at the school gate: whether it "
    "was time for a bridge."
)
_CODE = '''\
def tide(hours: float, height: float = 2.4) -> float:
    """Return the depth at the landing, in metres."""
    # Half a day and a little, as the moon has it.
    phase = 2 * math.pi * hours / 12.42
    return height / 2 * (1 + math.cos(phase))  # never below nought, and never above the mark on the post

print(f"{tide(3.1):.2f} m")'''

SAMPLE_ARTICLE = Article(
    title="The Bridge at Hollin Ferry",
    byline="Ada Fenwick and Thomas Oake",
    published="2024-03-12T08:30:00+00:00",
    site="The Valley Record",
    url="https://valley.example.org/2024/03/the-bridge-at-hollin-ferry?from=front",
    lead="How a village that had no bridge came to have two.",
    language="en",
    blocks=(
        paragraph(_RIVER, Span("1", note="n1")),
        paragraph(_WINTER),
        paragraph(
            "The first plan was drawn by ",
            Span("Ezra Coldwell", href="https://valley.example.org/people/coldwell"),
            ", who had ",
            Span("never", ("em",)),
            " seen the river; the second, by the ferryman’s daughter, was the one that was built. It is said to have cost ",
            Span("£412 7s.", ("strong",)),
            ", of which the parish paid half. See ",
            Span("the accounts", href="#accounts"),
            " below.",
        ),
        Figure(
            LANDSCAPE,
            caption_spans=spans("The valley in March, seen from the old landing. The boat lay where the alders stand."),
            alt="Hills under an evening sky",
            credit="Picture: The Valley Record",
        ),
        heading("What was decided"),
        paragraph(_WINTER + " " + _RIVER),
        paragraph(
            "Inline marks: ",
            Span("code", ("code",)), ", ", Span("Ctrl", ("kbd",)), "+", Span("P", ("kbd",)), ", H", Span("2", ("sub",)),
            "O, 1", Span("st", ("sup",)), ", ", Span("marked", ("mark",)), ", ", Span("struck out", ("del",)), ", ",
            Span("put in", ("ins",)), ", ", Span("small print", ("small",)), ", ", Span("A Book’s Title", ("cite",)), ", ",
            Span("quoted words", ("q",)), ", ", Span("NATO", ("abbr",), title="North Atlantic Treaty Organization"), ", ",
            Span("both at once", ("strong", "em")), ", ", Span("x² + 1", math="x^2+1"), " and a place further on.",
            Span("2", note="n2"),
        ),
        Quote(
            (
                paragraph("We did not want a bridge. We wanted to get to the other side, and for a long while we thought these were the same thing."),
                paragraph("They are not."),
            ),
            cite=spans("Minutes of the vestry, ", Span("vol. iv", ("em",))),
        ),
        heading("Three ways over", 3),
        items(
            "By the ford, in summer, with dry boots in the hand.",
            (
                paragraph("By the ferry:"),
                items("on foot, one penny;", "with a beast, threepence;", ordered=True, style="a"),
            ),
            "By the bridge, since the year of the comet, for nothing at all.",
        ),
        items("Measure the span.", "Order the oak.", "Wait for the oak to be ready, which takes longer than anyone believes, and then wait again for the smith.", ordered=True, start=9),
        Quote((paragraph("They thought these were the same thing."),), pull=True),
        paragraph(_RIVER),
        heading("The tide at the landing", 4),
        Code(_CODE, "python"),
        Code("chain --length 40 \\\n      --post north # no language given"),
        heading("Accounts", 2, "accounts"),
        Table(
            head=(cells("Item", "Year", "£", "Paid by", header=True),),
            body=(
                cells("Oak, forty loads, felled at Harrow and drawn by six horses", "1811", "184.10", "The parish"),
                cells("Iron", "1812", "96.00", "Subscription"),
                cells("Labour, two summers", "1812", "121.05", "The parish"),
                cells("Beer", "1812", "10.12", "Nobody would say"),
            ),
            foot=(cells("Total", "", "412.07", ""),),
            caption_spans=spans("What the bridge cost"),
            id="table",
        ),
        Rule(),
        DefinitionList(
            (
                Definition((spans("Beck"),), ((paragraph("A small stream, in the north."),),)),
                Definition((spans("Staith"), spans("Staithe")), ((paragraph("A landing stage. The one at Hollin was of elm and lasted longer than the boat did."),), (paragraph("Also the embankment behind it."),))),
            )
        ),
        Math(r"d = \frac{h}{2}\,(1 + \cos \varphi)", alt="d = h/2 · (1 + cos φ)"),
        Embed("video", "https://video.example.org/watch/hollin-ferry-last-crossing", title="The last crossing, filmed from the bank"),
        Figure(MISSING, caption_spans=spans("The ferryman’s daughter, about 1840."), alt="A woman in a dark dress beside a chain"),
        paragraph(_WINTER),
        Figure(TOWER, alt="A tall tower", caption_spans=spans("The toll tower, taken down in 1902.")),
        paragraph(_RIVER),
        Note("n1", "1", (paragraph("The name is older than the village; ", Span("lenne", ("em",)), " is a word for slack water. See ", Span("the gazetteer", href="https://maps.example.org/lenne"), "."),)),
        Note("n2", "2", (paragraph("It is on the next page."),)),
    ),
)  # fmt: skip


def _script(
    language: str, title: str, byline: str, subtitle: str, text: str, quote: str,
    *points: str, direction: Direction = "ltr",
) -> Article:  # fmt: skip
    return Article(
        title=title,
        byline=byline,
        published="2024-03-12",
        site="example.org",
        url="https://example.org/" + language,
        language=language,
        direction=direction,
        blocks=(
            paragraph(text, Span("1", note="n1")),
            paragraph(text),
            heading(subtitle),
            paragraph(text, " ", Span(quote, ("strong",)), " ", Span(quote, ("em",)), " — HTML 5, 2024."),
            items(*points),
            items(*points, ordered=True),
            Quote((paragraph(quote),), cite=spans(byline)),
            Figure(LANDSCAPE, caption_spans=spans(quote), alt=subtitle, width=400),
            Table((cells(*points[:2], "2024", header=True),), (cells(*points[:2], "12"), cells(*points[:2], "1,200"))),
            Note("n1", "1", (paragraph(quote),)),
        ),
    )  # fmt: skip


SCRIPT_ARTICLES = {
    "ar": _script(
        "ar", "الجسر عند معبر النهر", "ليلى السالمي", "ما تقرر في الشتاء",
        "ينبع النهر من تحت قمة الجبل، ويمر بين المروج ببطء شديد حتى إن مالك الحزين يقف فيه إلى ركبتيه. ولم يكن للناس طيلة ثلاثمئة عام سبيل إلى الضفة الأخرى إلا قارب مسطح مربوط بسلسلة، تعمل عليه أسرة واحدة. وفي شتاء الصقيع الكبير تجمدت السلسلة فسار الناس على الجليد.",
        "لم نكن نريد جسرًا، بل كنا نريد أن نصل إلى الضفة الأخرى.",
        "على الأقدام", "بالقارب", "فوق الجسر", direction="rtl",
    ),
    "he": _script(
        "he", "הגשר ליד המעבורת", "נעמה שדה", "מה הוחלט בחורף",
        "הנהר נובע מתחת לרכס ויורד בין האחו לאט כל כך, עד שהאנפות עומדות בו עד הברכיים. במשך שלוש מאות שנה היתה הדרך היחידה לגדה השנייה סירה שטוחה על שרשרת, ומשפחה אחת הפעילה אותה. בחורף של הקרה הגדולה קפאה השרשרת, ואנשים הלכו ברגל על הקרח (כך מספרים).",
        "לא רצינו גשר; רצינו להגיע לצד השני.",
        "ברגל", "בסירה", "על הגשר", direction="rtl",
    ),
    "ja": _script(
        "ja", "渡し場の橋", "野原しずか", "冬に決まったこと",
        "川は山の尾根の下から湧き出し、牧草地のあいだをゆっくりと流れていく。あまりにゆるやかなので、鷺が膝まで水につかって立っている。三百年のあいだ、向こう岸へ渡る道は一つしかなかった。鎖につながれた平たい舟である。「橋がほしかったのではない」と老人は言った。「向こう側へ行きたかったのだ。」大寒波の冬、鎖は杭に凍りつき、人びとは氷の上を歩いて渡った、というのである。",
        "橋がほしかったのではない、向こう側へ行きたかったのだ。",
        "歩いて渡る", "舟で渡る", "橋を渡る",
    ),
    "zh": _script(
        "zh-Hans", "渡口的桥", "林小溪", "冬天的决定",
        "河水从山脊下涌出，在草地间缓缓流过，慢得连白鹭都能站在齐膝的水里。三百年来，过河的路只有一条：一只拴在铁链上的平底船，由一户人家照看。“我们要的不是桥，”老人说，“我们只是想到对岸去。”大寒那年冬天，铁链冻在木桩上，人们就从冰上走了过去。",
        "我们要的不是桥，而是到对岸去。",
        "步行", "坐船", "过桥",
    ),
    "zh-Hant": _script(
        "zh-Hant", "渡口的橋", "林小溪", "冬天的決定",
        "河水從山脊下湧出，在草地間緩緩流過，慢得連白鷺都能站在齊膝的水裡。三百年來，過河的路只有一條：一隻拴在鐵鏈上的平底船，由一戶人家照看。「我們要的不是橋，」老人說，「我們只是想到對岸去。」",
        "我們要的不是橋，而是到對岸去。",
        "步行", "坐船", "過橋",
    ),
    "ko": _script(
        "ko", "나루터의 다리", "한가람", "겨울에 정해진 일",
        "강은 산등성이 아래에서 솟아나 풀밭 사이를 아주 천천히 흘러간다. 삼백 년 동안 건너편으로 가는 길은 하나뿐이었다. 쇠사슬에 묶인 납작한 배였다. 큰 추위가 닥친 겨울에 쇠사슬이 말뚝에 얼어붙어, 사람들은 얼음 위를 걸어서 건넜다.",
        "우리가 바란 것은 다리가 아니라 건너편이었다.",
        "걸어서", "배로", "다리로",
    ),
    "hi": _script(
        "hi", "नदी के घाट का पुल", "मीरा वन", "सर्दियों में क्या तय हुआ",
        "नदी पहाड़ की चोटी के नीचे से निकलती है और घास के मैदानों के बीच इतनी धीरे बहती है कि बगुले उसमें घुटनों तक खड़े रहते हैं। तीन सौ साल तक उस पार जाने का एक ही रास्ता था: ज़ंजीर से बँधी एक चपटी नाव। बड़ी ठंड की सर्दी में ज़ंजीर जम गई और लोग बर्फ़ पर चलकर पार गए।",
        "हमें पुल नहीं चाहिए था, हमें उस पार जाना था।",
        "पैदल", "नाव से", "पुल से",
    ),
    "el": _script(
        "el", "Η γέφυρα στο πέρασμα", "Δάφνη Ποταμού", "Τι αποφασίστηκε τον χειμώνα",
        "Το ποτάμι πηγάζει κάτω από την κορυφή του βουνού και κυλά ανάμεσα στα λιβάδια τόσο αργά, που οι ερωδιοί στέκονται μέσα του ώς το γόνατο. Τριακόσια χρόνια ο μόνος δρόμος για την άλλη όχθη ήταν μια επίπεδη βάρκα σε μια αλυσίδα. Τον χειμώνα της μεγάλης παγωνιάς η αλυσίδα πάγωσε και οι άνθρωποι πέρασαν περπατώντας.",
        "Δεν θέλαμε γέφυρα· θέλαμε να περάσουμε απέναντι.",
        "με τα πόδια", "με τη βάρκα", "από τη γέφυρα",
    ),
    "ru": _script(
        "ru", "Мост у переправы", "Вера Лугова", "Что решили зимой",
        "Река берёт начало под гребнем горы и течёт среди лугов так медленно, что цапли стоят в ней по колено. Триста лет на другой берег вела одна дорога: плоская лодка на цепи, которую держала одна семья. В зиму великого мороза цепь примёрзла к столбу, и люди пошли по льду пешком.",
        "Мы хотели не моста, мы хотели на ту сторону.",
        "пешком", "на лодке", "по мосту",
    ),
    "th": _script(
        "th", "สะพานที่ท่าเรือข้ามฟาก", "ธารา ทุ่งกว้าง", "สิ่งที่ตกลงกันในฤดูหนาว",
        "แม่น้ำผุดขึ้นใต้สันเขาแล้วไหลผ่านทุ่งหญ้าอย่างช้าๆ จนนกกระสายืนอยู่ในน้ำได้ถึงเข่า ตลอดสามร้อยปีทางข้ามไปอีกฝั่งมีเพียงทางเดียว คือเรือท้องแบนที่ผูกกับโซ่ ซึ่งครอบครัวหนึ่งดูแลอยู่ ในฤดูหนาวที่หนาวจัดโซ่แข็งติดกับเสา ผู้คนจึงเดินข้ามไปบนน้ำแข็ง",
        "เราไม่ได้อยากได้สะพาน เราอยากไปอีกฝั่งหนึ่ง",
        "เดินเท้า", "โดยเรือ", "ข้ามสะพาน",
    ),
    "de": _script(
        "de", "Die Brücke an der Fähre", "Hanne Weidenbach", "Was im Winter beschlossen wurde",
        "Der Fluss entspringt unter dem Bergrücken und zieht so langsam durch die Wiesen, dass die Reiher bis zu den Knien darin stehen. Dreihundert Jahre lang führte nur ein Weg hinüber: ein flacher Kahn an einer Kette, den eine einzige Familie betrieb. Im Winter des großen Frostes fror die Kette am Pfahl fest, und die Fährgastbeförderungsbestimmungen waren vergessen.",
        "Wir wollten keine Brücke, wir wollten hinüber.",
        "zu Fuß", "mit dem Kahn", "über die Brücke",
    ),
}  # fmt: skip

JAPANESE_RUBY = replace(
    SCRIPT_ARTICLES["ja"], blocks=(paragraph("ここは", Span("渡", ruby="わた"), "し", Span("場", ruby="ば"), "である。", Span("鷺", ruby="さぎ"), "が立つ。" * 12),)
)  # fmt: skip
