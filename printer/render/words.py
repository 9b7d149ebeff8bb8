"""The few words a page needs of its own, in the article's language, and dates as it writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class Words:
    """Headings and labels that are the printed page's, not the article's.

    ``page`` holds ``{page}`` and ``{pages}``.
    """

    notes: str = "Notes"
    contents: str = "Contents"
    page: str = "{page} / {pages}"
    missing: str = "Picture not available"
    video: str = "Video"
    audio: str = "Audio"
    map: str = "Map"
    post: str = "Post"
    frame: str = "Embedded page"
    fetched: str = "{date}"
    links: str = "Links"
    on_page: str = "→ {page}"
    qr: str = "QR"
    picture: str = "Picture"


_ENGLISH = Words(
    page="page {page} of {pages}", fetched="read {date}", on_page="p. {page}", qr="QR code"
)

#: notes, contents, page, missing picture, video, audio, map, post, embedded page, fetched
_BY_LANGUAGE: dict[str, tuple[str, ...]] = {
    "ar": ("الهوامش", "المحتويات", "صفحة {page} من {pages}", "الصورة غير متاحة", "فيديو", "صوت", "خريطة", "منشور", "صفحة مضمّنة", "{date}"),
    "cs": ("Poznámky", "Obsah", "strana {page} z {pages}", "Obrázek není k dispozici", "Video", "Zvuk", "Mapa", "Příspěvek", "Vložená stránka", "načteno {date}"),
    "da": ("Noter", "Indhold", "side {page} af {pages}", "Billedet mangler", "Video", "Lyd", "Kort", "Opslag", "Indlejret side", "hentet {date}"),
    "de": ("Anmerkungen", "Inhalt", "Seite {page} von {pages}", "Bild nicht verfügbar", "Video", "Audio", "Karte", "Beitrag", "Eingebettete Seite", "abgerufen am {date}"),
    "el": ("Σημειώσεις", "Περιεχόμενα", "σελίδα {page} από {pages}", "Η εικόνα δεν είναι διαθέσιμη", "Βίντεο", "Ήχος", "Χάρτης", "Ανάρτηση", "Ενσωματωμένη σελίδα", "{date}"),
    "es": ("Notas", "Índice", "página {page} de {pages}", "Imagen no disponible", "Vídeo", "Audio", "Mapa", "Publicación", "Página incrustada", "consultado el {date}"),
    "fi": ("Viitteet", "Sisällys", "sivu {page} / {pages}", "Kuvaa ei ole saatavilla", "Video", "Ääni", "Kartta", "Julkaisu", "Upotettu sivu", "haettu {date}"),
    "fr": ("Notes", "Table des matières", "page {page} sur {pages}", "Image non disponible", "Vidéo", "Audio", "Carte", "Message", "Page intégrée", "consulté le {date}"),
    "he": ("הערות", "תוכן העניינים", "עמוד {page} מתוך {pages}", "התמונה אינה זמינה", "וידאו", "שמע", "מפה", "פוסט", "עמוד מוטמע", "{date}"),
    "hi": ("टिप्पणियाँ", "विषय-सूची", "पृष्ठ {page} / {pages}", "चित्र उपलब्ध नहीं", "वीडियो", "ऑडियो", "मानचित्र", "पोस्ट", "सन्निहित पृष्ठ", "{date}"),
    "hu": ("Jegyzetek", "Tartalom", "{page}. oldal, összesen {pages}", "A kép nem érhető el", "Videó", "Hang", "Térkép", "Bejegyzés", "Beágyazott oldal", "{date}"),
    "it": ("Note", "Indice", "pagina {page} di {pages}", "Immagine non disponibile", "Video", "Audio", "Mappa", "Post", "Pagina incorporata", "consultato il {date}"),
    "ja": ("注", "目次", "{page} / {pages} ページ", "画像がありません", "動画", "音声", "地図", "投稿", "埋め込みページ", "{date}閲覧"),
    "ko": ("주", "차례", "{page} / {pages} 쪽", "그림을 표시할 수 없음", "동영상", "오디오", "지도", "게시물", "포함된 페이지", "{date} 열람"),
    "nl": ("Noten", "Inhoud", "pagina {page} van {pages}", "Afbeelding niet beschikbaar", "Video", "Audio", "Kaart", "Bericht", "Ingesloten pagina", "geraadpleegd op {date}"),
    "no": ("Noter", "Innhold", "side {page} av {pages}", "Bildet mangler", "Video", "Lyd", "Kart", "Innlegg", "Innebygd side", "hentet {date}"),
    "pl": ("Przypisy", "Spis treści", "strona {page} z {pages}", "Obraz niedostępny", "Wideo", "Dźwięk", "Mapa", "Wpis", "Osadzona strona", "{date}"),
    "pt": ("Notas", "Índice", "página {page} de {pages}", "Imagem não disponível", "Vídeo", "Áudio", "Mapa", "Publicação", "Página incorporada", "consultado em {date}"),
    "ru": ("Примечания", "Содержание", "страница {page} из {pages}", "Изображение недоступно", "Видео", "Аудио", "Карта", "Запись", "Встроенная страница", "{date}"),
    "sv": ("Noter", "Innehåll", "sida {page} av {pages}", "Bilden saknas", "Video", "Ljud", "Karta", "Inlägg", "Inbäddad sida", "hämtad {date}"),
    "tr": ("Notlar", "İçindekiler", "sayfa {page} / {pages}", "Resim yok", "Video", "Ses", "Harita", "Gönderi", "Gömülü sayfa", "{date}"),
    "uk": ("Примітки", "Зміст", "сторінка {page} з {pages}", "Зображення недоступне", "Відео", "Аудіо", "Карта", "Допис", "Вбудована сторінка", "{date}"),
    "zh-hant": ("註釋", "目錄", "第 {page} 頁，共 {pages} 頁", "圖片無法顯示", "影片", "音訊", "地圖", "貼文", "嵌入頁面", "{date}"),
    "zh": ("注释", "目录", "第 {page} 页，共 {pages} 页", "图片不可用", "视频", "音频", "地图", "帖子", "嵌入页面", "{date}"),
}  # fmt: skip


#: the heading of a list of links, a reference to a page, what a picture without words is called
_LINKS: dict[str, tuple[str, str, str]] = {
    "ar": ("الروابط", "ص {page}", "صورة"),
    "cs": ("Odkazy", "s. {page}", "Obrázek"),
    "da": ("Links", "s. {page}", "Billede"),
    "de": ("Verweise", "S. {page}", "Bild"),
    "el": ("Σύνδεσμοι", "σ. {page}", "Εικόνα"),
    "es": ("Enlaces", "p. {page}", "Imagen"),
    "fi": ("Linkit", "s. {page}", "Kuva"),
    "fr": ("Liens", "p. {page}", "Image"),
    "he": ("קישורים", "עמ׳ {page}", "תמונה"),
    "hi": ("कड़ियाँ", "पृ. {page}", "चित्र"),
    "hu": ("Hivatkozások", "{page}. o.", "Kép"),
    "it": ("Collegamenti", "p. {page}", "Immagine"),
    "ja": ("リンク", "{page}ページ", "画像"),
    "ko": ("링크", "{page}쪽", "그림"),
    "nl": ("Links", "p. {page}", "Afbeelding"),
    "no": ("Lenker", "s. {page}", "Bilde"),
    "pl": ("Odnośniki", "s. {page}", "Obraz"),
    "pt": ("Ligações", "p. {page}", "Imagem"),
    "ru": ("Ссылки", "с. {page}", "Изображение"),
    "sv": ("Länkar", "s. {page}", "Bild"),
    "tr": ("Bağlantılar", "s. {page}", "Resim"),
    "uk": ("Посилання", "с. {page}", "Зображення"),
    "zh-hant": ("連結", "第 {page} 頁", "圖片"),
    "zh": ("链接", "第 {page} 页", "图片"),
}


def words(language: str) -> Words:
    """Return the words of a language (BCP 47), numbers alone where it is not known."""
    primary = language.partition("-")[0].lower()
    if primary in ("", "en"):
        return _ENGLISH
    if primary in ("nb", "nn"):
        primary = "no"
    if primary == "zh" and re.search(r"-(hant|tw|hk|mo)\b", language.lower()):
        primary = "zh-hant"
    known = _BY_LANGUAGE.get(primary)
    if known is None:
        return Words()
    links, on_page, picture = _LINKS[primary]
    return replace(Words(*known), links=links, on_page=on_page, picture=picture)


def written(when: str | datetime, language: str) -> str:
    """Return an ISO 8601 date as a reader of the language writes it, long form; '' for none.

    What is not a date, or is in a language whose customs are not known, stays as it stands.
    """
    try:
        day = when.date() if isinstance(when, datetime) else date.fromisoformat(when[:10])
    except ValueError:
        return when[:40] if isinstance(when, str) else ""
    from babel import Locale, UnknownLocaleError
    from babel.dates import format_date

    try:
        locale = Locale.parse(_customs(language), sep="-")
    except (UnknownLocaleError, ValueError, TypeError):
        return day.isoformat()
    return format_date(day, "long", locale=locale)


def _customs(language: str) -> str:
    """Return the locale whose customs are meant; plain English is read all over the world."""
    return "en-GB" if language.lower() in ("", "en") else language
