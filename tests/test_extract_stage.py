"""Pages that display something else instead of their article, and pages that only look like it."""

import pytest

from printer import extract
from printer.errors import NoArticle
from printer.extract_stage import find_obstacle
from printer.html.page import read_page

SENTENCE = (
    "The ferry that has carried schoolchildren and sheep across the river will stop in March. "
)
FORM = "<form><label>E-mail <input name=mail></label><input type=password name=word></form>"


def page(title, body, language="en"):
    text = f"<html lang={language}><head><title>{title}</title></head><body>{body}</body></html>"
    return read_page(text, "https://example.org/ferry")


@pytest.mark.parametrize(
    ("obstacle", "title", "body"),
    [
        ("sign-in", "Sign in | The Tide", f"<p>Welcome back to The Tide.</p>{FORM}"),
        ("sign-in", "Die Flut", f"<h1>Bitte anmelden</h1>{FORM}"),
        ("sign-in", "La Marée", f"<h2>Se connecter</h2>{FORM}<p>Mot de passe oublié ?</p>"),
        ("sign-in", "潮汐", f"<h1>登录</h1>{FORM}"),
        ("sign-in", "Прилив", f"<h1>Вход в кабинет</h1>{FORM}"),
        ("sign-in", "المد", f"<h1>تسجيل الدخول</h1>{FORM}"),
        ("robot check", "Just a moment...", "<p>Enable JavaScript and cookies to continue</p>"),
        ("robot check", "Making sure you're not a bot!", f"<p>{'This site is protected. ' * 45}</p>"),
        ("robot check", "The Tide", "<h1>Sind Sie ein Roboter?</h1><p>Bitte bestätigen.</p>"),
        ("robot check", "The Tide", "<h2>Подтвердите, что вы не робот</h2><p>Нажмите.</p>"),
        ("robot check", "thetide.example", "<p>Press and hold.</p><div id=px-captcha></div>"),
        ("not found", "404 - The Tide", "<p>We looked everywhere.</p>"),
        ("not found", "Die Flut", "<h1>Seite nicht gefunden</h1><p>Suchen Sie hier.</p>"),
        ("not found", "潮", "<h1>ページが見つかりません</h1><p>移動したか、削除された可能性があります。</p>"),
        ("not found", "Prąd", "<h1>Nie znaleziono strony</h1><p>Sprawdź adres.</p>"),
        ("consent", "Before you continue", "<p>We use cookies and data.</p><button>Accept</button>"),
        ("consent", "Die Flut", "<h1>Weiter mit Werbung lesen? Zustimmung</h1><p>Wir nutzen Cookies.</p>"),
        ("consent", "La Marea", "<h2>Valoramos tu privacidad</h2><p>Usamos cookies.</p>"),
    ],
)  # fmt: skip
def test_obstacles_are_known(obstacle, title, body):
    read = page(title, body)
    assert find_obstacle(read, "Some words.") == obstacle
    assert find_obstacle(read, "") == obstacle


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Subscribe to continue reading. Plans start at 1 crown."),
        ("de", "Jetzt weiterlesen mit dem Abo."),
        ("fr", "Cet article est réservé aux abonnés."),
        ("ja", "この記事は有料会員限定です。"),
        ("ru", "Материал доступен только для подписчиков."),
    ],
)
def test_a_stub_before_a_subscription_is_known(language, line):
    lead = f"<h1>The last crossing</h1><p>{SENTENCE * 4}</p>"
    read = page("The last crossing", f"<main>{lead}<div>{line}</div></main>", language)
    text = (SENTENCE * 4).strip()
    assert find_obstacle(read, text) == "paywall"
    full_page = page("The last crossing", f"<main>{lead}<p>{SENTENCE}</p></main><div>{line}</div>")
    assert find_obstacle(full_page, (SENTENCE * 20).strip()) == ""


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("The last crossing", f"<p>{SENTENCE * 3}</p><dialog>Sign in {FORM}</dialog>"),
        ("Sign in", f"<p>{SENTENCE * 3}</p>"),
        ("How the sign-in pages of forty newspapers were made", f"<p>{SENTENCE}</p>{FORM}"),
        ("The 404 bus no longer stops at the harbour of Morrow Point", f"<p>{SENTENCE * 3}</p>"),
        ("Captcha: what it asked of the blind for twenty years", f"<p>{SENTENCE * 3}</p>"),
        ("The last crossing", f"<p>{SENTENCE * 12}</p><div class=g-recaptcha></div>"),
        ("Just a moment...", f"<p>{SENTENCE * 40}</p>"),
    ],
)
def test_articles_are_no_obstacles(title, body):
    read = page(title, body)
    assert find_obstacle(read, SENTENCE * 3) == ""
    assert find_obstacle(read, SENTENCE * 40) == ""


@pytest.mark.parametrize(
    ("below", "obstacle"),
    [
        ("<h2>This post is for paid subscribers</h2>", "paywall"),
        ("<h2 hidden>This post is for paid subscribers</h2>", ""),
        ("<p>Already a subscriber? Sign in</p>", ""),
        ("<p>Boats</p><p>Nets</p><p>Oars</p><h2>For subscribers only</h2>", ""),
    ],
)
def test_a_long_beginning_above_the_heading_of_a_paywall_is_known(below, obstacle):
    text = "".join(f"<p>{SENTENCE * 4} {n}</p>" for n in range(8))
    html = f"<html><title>Ferry</title><body><article>{text}</article><div>{below}</div></body>"
    assert extract(html, "https://example.org/ferry").obstacle == obstacle


def test_the_obstacle_of_an_article_is_named():
    form = f"<html><title>Sign in</title><body><h1>Sign in</h1><p>{SENTENCE}</p>{FORM}</body>"
    article = extract(form, "https://example.org/ferry")
    assert article.obstacle == article.to_dict()["obstacle"] == "sign-in"
    assert any("sign-in page" in warning for warning in article.warnings)
    plain = extract(f"<html><title>Ferry</title><body><p>{SENTENCE * 5}</p></body>")
    assert plain.obstacle == ""
    assert "obstacle" not in plain.to_dict()


def test_an_empty_page_is_named():
    with pytest.raises(NoArticle, match="page not found"):
        extract("<html><title>404</title><body></body></html>", "https://example.org/ferry")
