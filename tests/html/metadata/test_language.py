import pytest

from printer.html.metadata.language import (
    FUNCTION_WORDS,
    detect_language,
    detect_script,
    language_tag,
    text_direction,
)
from printer.html.metadata.metadata import read_metadata
from printer.html.parse import parse

SENTENCES = {
    "en": "The old man came down to the harbour at six, as he had on every morning of his "
    "life, and when he saw that the boat was gone he sat on the wall and began to "
    "laugh.",
    "de": "Der alte Mann kam um sechs zum Hafen hinunter, wie an jedem Morgen seines Lebens, "
    "und als er sah, dass das Boot nicht mehr da war, setzte er sich auf die Mauer und "
    "lachte.",
    "fr": "Le vieil homme descendit au port à six heures, comme tous les matins de sa vie, et "
    "quand il vit que le bateau n'était plus là, il s'assit sur le mur et se mit à "
    "rire.",
    "es": "El viejo bajó al puerto a las seis, como todas las mañanas de su vida, y cuando "
    "vio que el barco ya no estaba se sentó en el muro y se echó a reír con todo lo que "
    "le quedaba.",
    "pt": "O velho desceu ao porto às seis, como em todas as manhãs da sua vida, e quando viu "
    "que o barco já não estava lá, sentou-se no muro e começou a rir com o que ainda "
    "tinha.",
    "it": "Il vecchio scese al porto alle sei, come ogni mattina della sua vita, e quando "
    "vide che la barca non c'era più si sedette sul muro e si mise a ridere con quello "
    "che gli restava.",
    "nl": "De oude man kwam om zes uur naar de haven, zoals op elke ochtend van zijn leven, "
    "en toen hij zag dat de boot er niet meer was, ging hij op de muur zitten en begon "
    "te lachen.",
    "sv": "Den gamle mannen kom ner till hamnen klockan sex, som varje morgon i sitt liv, och "
    "när han såg att båten inte var där längre satte han sig på muren och började "
    "skratta.",
    "da": "Den gamle mand kom ned til havnen klokken seks, som hver morgen i sit liv, og da "
    "han så at båden ikke var der mere, satte han sig på muren og begyndte at le af det "
    "hele, for hvad andet kunne man gøre nu, og så gik han op igen og blev der efter "
    "det.",
    "pl": "Stary człowiek zszedł do portu o szóstej, jak każdego ranka swojego życia, a gdy "
    "zobaczył, że łodzi już nie ma, usiadł na murze i zaczął się śmiać, bo co miał "
    "zrobić po tym.",
    "ru": "Старик спустился в гавань в шесть, как и каждое утро своей жизни, и когда он "
    "увидел, что лодки больше нет, сел на стену и начал смеяться, потому что это было "
    "всё, что он мог.",
    "uk": "Старий спустився до гавані о шостій, як і кожного ранку свого життя, і коли він "
    "побачив, що човна вже немає, то сів на мур і почав сміятися, бо це було все, що "
    "він міг.",
    "ar": "نزل الرجل العجوز إلى الميناء في السادسة كما في كل صباح من حياته، ولما رأى أن "
    "القارب لم يعد هناك جلس على الجدار وبدأ يضحك، لأن ذلك كان كل ما في يده، وعاد بعد "
    "ذلك إلى البيت.",
    "fa": "پیرمرد ساعت شش مثل هر روز زندگی خود به بندر آمد و وقتی دید که قایق را برده‌اند روی "
    "دیوار نشست و شروع به خنده کرد، برای این که کار دیگری از او بر نمی‌آمد و این هم یک "
    "راه بود.",
    "he": "האיש הזקן ירד אל הנמל בשש, כמו בכל בוקר של חייו, וכשראה שהסירה לא שם הוא התיישב.",
    "ja": "老人は六時に港へおりてきた。舟がもうないのを見ると、石垣に腰をおろして笑いはじめた。生ま"
    "れてからずっと、毎朝そうしてきたのである。それから家に帰った。",
    "zh": "老人六点钟来到港口，就像他一生中的每个早晨一样。他看见船已经不在了，便在墙上坐下，笑了起"
    "来。他还能做什么呢？后来他就回家去了。",
    "ko": "노인은 평생의 모든 아침처럼 여섯 시에 항구로 내려왔고, 배가 이제 없다는 것을"
    " 보고는 담 위에 앉아 웃기 시작했다. 그리고 집으로 돌아갔다.",
    "el": "Ο γέρος κατέβηκε στο λιμάνι στις έξι, όπως κάθε πρωί της ζωής του, και είδε τη "
    "θάλασσα.",
    "hi": "बूढ़ा आदमी छह बजे बंदरगाह पर आया, जैसे वह अपने जीवन की हर सुबह आता था, और जब उसने "
    "देखा कि नाव वहाँ नहीं है तो वह दीवार पर बैठ गया और हँसने लगा, यह सब उस के लिए था।",
    "th": "ชายชราลงมาที่ท่าเรือตอนหกโมงเช้าเหมือนทุกเช้าในชีวิตของเขา และเขาก็นั่งลงหัวเราะ",
}  # fmt: skip


@pytest.mark.parametrize("language", SENTENCES)
def test_two_sentences_tell_the_language(language):
    assert detect_language(SENTENCES[language]) == language


@pytest.mark.parametrize(
    "text", ["", "42", "Menu Login Search", "Lorem ipsum dolor sit amet " * 30]
)
def test_too_little_text_has_no_language(text):
    assert detect_language(text) == ""


def test_no_two_languages_share_all_their_words():
    for script, lists in FUNCTION_WORDS.items():
        for language, words in lists.items():
            assert len(words) >= 12, (script, language)
            assert all(len(words - other) > 4 for name, other in lists.items() if name != language)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("en", "en"), ("en_US", "en-US"), ("EN-us", "en-US"), ("zh-hans-cn", "zh-Hans-CN"),
        ("sr-Latn", "sr-Latn"), ("es-419", "es-419"), ("de-DE-formal", "de-DE"), ("iw", "he"),
        ("jp", "ja"), ("English", "en"), ("pt_BR.UTF-8", "pt-BR"), ("en, fr", "en"), ("eng", "en"),
        ("", ""), ("lang=", ""), ("{{lang}}", ""), ("x-default", ""), ("und", ""), ("1", ""),
        ("<script>", ""), ("utf-8", ""), (None, ""),
    ],
)  # fmt: skip
def test_tags_are_bcp_47(stated, expected):
    assert language_tag(stated) == expected


def read(html, head="", body=""):
    tree = parse(f"{html}<head>{head}</head><body>{body}</body></html>")
    found = read_metadata(tree, "https://example.org/", "https://example.org/")
    return found.language, found.direction


def paragraphs(language):
    return f"<p>{SENTENCES[language]}</p>" * 3


def test_the_declared_language_is_used():
    assert read('<html lang="en-GB">', body=paragraphs("en")) == ("en-GB", "ltr")
    assert read('<html xml:lang="de">', body=paragraphs("de")) == ("de", "ltr")
    head = '<meta http-equiv="Content-Language" content="fr">'
    assert read("<html>", head, paragraphs("fr")) == ("fr", "ltr")
    head = '<meta property="og:locale" content="de_AT">'
    assert read("<html>", head, paragraphs("de")) == ("de-AT", "ltr")


@pytest.mark.parametrize("language", ["ja", "ar", "ru", "ko", "zh", "de", "es"])
def test_a_template_s_language_gives_way_to_the_text_s(language):
    assert read('<html lang="en">', body=paragraphs(language))[0] == language


def test_of_two_statements_the_one_that_fits_counts():
    head = '<meta property="og:locale" content="ja_JP">'
    assert read('<html lang="en">', head, paragraphs("ja"))[0] == "ja-JP"


def test_a_page_that_states_nothing_is_detected():
    assert read("<html>", body=paragraphs("ar")) == ("ar", "rtl")
    assert read("<html>", body=paragraphs("pl")) == ("pl", "ltr")


def test_a_rare_language_is_believed():
    assert read('<html lang="oc">', body=paragraphs("fr"))[0] == "oc"


def test_the_direction_stated_counts():
    assert read('<html lang="en" dir="RTL">', body=paragraphs("en")) == ("en", "rtl")


@pytest.mark.parametrize(
    ("language", "direction"),
    [("ar", "rtl"), ("he-IL", "rtl"), ("az-Arab", "rtl"), ("ar-Latn", "ltr"), ("", "ltr"),
     ("ur", "rtl"), ("en", "ltr")],
)  # fmt: skip
def test_languages_have_a_direction(language, direction):
    assert text_direction(language) == direction


def test_scripts_are_detected_by_letters():
    assert detect_script("word " * 30) == "latin"
    assert detect_script("слово " * 30) == "cyrillic"
    assert detect_script("123 !? " * 30) in {"", "latin"}


@pytest.mark.parametrize("stated", ["", " lang=zh", " lang=zh-CN"])
def test_traditional_chinese_is_detected_by_its_characters(stated: str) -> None:
    traditional = "老人每天早上六點到港口來，看見船已經不見了，就坐在牆上笑了起來。" * 3
    simplified = "老人每天早上六点到港口来，看见船已经不见了，就坐在墙上笑了起来。" * 3
    page = f"<html{stated}><p>{{}}</p>"
    assert read_metadata(parse(page.format(traditional)), "", "").language == "zh-Hant"
    assert read_metadata(parse(page.format(simplified)), "", "").language in ("zh", "zh-CN")
    hong_kong = f"<html lang=zh-HK><p>{traditional}</p>"
    assert read_metadata(parse(hong_kong), "", "").language == "zh-HK"


ZULU = (
    "Ikhehla lehlela echwebeni ngehora lesithupha njengasekuseni ngakunye kokuphila kwalo, kwathi "
    "lapho libona ukuthi isikebhe asisekho lahlala odongeni laqala ukuhleka. "
)


def test_a_long_text_in_no_known_language_is_not_in_the_stated_one() -> None:
    assert read('<html lang="en-ZA">', body=f"<p>{ZULU * 6}</p>")[0] == ""
    assert read('<html lang="en-ZA">', body=f"<p>{ZULU}</p>")[0] == "en-ZA"
    english = SENTENCES["en"] * 3 + "10 x 12; 3 m; pine; oak. " * 20
    assert read('<html lang="en-ZA">', body=f"<p>{english}</p>")[0] == "en-ZA"


def test_a_second_statement_counts_if_the_first_is_plainly_wrong() -> None:
    head = '<meta name="language" content="zu">'
    assert read(f'<html lang="en-ZA">{head}', body=f"<p>{ZULU * 6}</p>")[0] == "zu"
