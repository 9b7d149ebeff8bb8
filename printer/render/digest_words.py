"""The few words that a digest needs of its own, in its language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DigestWords:
    """Labels of a digest; ``reading`` holds ``{minutes}`` and ``{words}``."""

    reading: str = "{minutes} min · {words} words"
    also: str = "Also in"
    updated: str = "Updated"
    missing: str = "Not in this issue"
    articles: str = "{count} articles"
    key: str = "In short"


_ENGLISH = DigestWords()

#: reading, also in, updated, not in this issue, articles, in short
_BY_LANGUAGE: dict[str, tuple[str, str, str, str, str, str]] = {
    "cs": ("{minutes} min · {words} slov", "Také v", "Aktualizováno", "V tomto vydání chybí", "Článků: {count}", "Stručně"),
    "da": ("{minutes} min. · {words} ord", "Også i", "Opdateret", "Ikke i denne udgave", "{count} artikler", "Kort fortalt"),
    "de": ("{minutes} Min. · {words} Wörter", "Auch in", "Aktualisiert", "Nicht in dieser Ausgabe", "{count} Artikel", "Kurz gesagt"),
    "es": ("{minutes} min · {words} palabras", "También en", "Actualizado", "No está en este número", "{count} artículos", "En resumen"),
    "fi": ("{minutes} min · {words} sanaa", "Myös", "Päivitetty", "Ei tässä numerossa", "{count} artikkelia", "Lyhyesti"),
    "fr": ("{minutes} min · {words} mots", "Aussi dans", "Mis à jour", "Absent de ce numéro", "{count} articles", "En bref"),
    "it": ("{minutes} min · {words} parole", "Anche in", "Aggiornato", "Non in questo numero", "{count} articoli", "In breve"),
    "ja": ("{minutes}分 · {words}語", "ほかの掲載", "更新", "今号にないもの", "記事 {count} 件", "要点"),
    "ko": ("{minutes}분 · 단어 {words}개", "다른 곳", "업데이트됨", "이번 호에 없는 것", "기사 {count}건", "요점"),
    "nl": ("{minutes} min · {words} woorden", "Ook in", "Bijgewerkt", "Niet in dit nummer", "{count} artikelen", "In het kort"),
    "no": ("{minutes} min · {words} ord", "Også i", "Oppdatert", "Ikke i denne utgaven", "{count} artikler", "Kort fortalt"),
    "pl": ("{minutes} min · słów: {words}", "Także w", "Zaktualizowano", "Nie ma w tym numerze", "Artykułów: {count}", "W skrócie"),
    "pt": ("{minutes} min · {words} palavras", "Também em", "Atualizado", "Não está neste número", "{count} artigos", "Em resumo"),
    "ru": ("{minutes} мин · слов: {words}", "Также в", "Обновлено", "Не вошло в этот выпуск", "Статей: {count}", "Коротко"),
    "sv": ("{minutes} min · {words} ord", "Även i", "Uppdaterad", "Inte i detta nummer", "{count} artiklar", "I korthet"),
    "tr": ("{minutes} dk · {words} sözcük", "Ayrıca", "Güncellendi", "Bu sayıda yok", "{count} yazı", "Kısaca"),
    "uk": ("{minutes} хв · слів: {words}", "Також у", "Оновлено", "Немає в цьому випуску", "Статей: {count}", "Коротко"),
    "zh": ("{minutes} 分钟 · {words} 字", "另见", "已更新", "本期未收", "{count} 篇文章", "要点"),
}  # fmt: skip


def digest_words(language: str) -> DigestWords:
    """Return the words of a language (BCP 47), English where it is not known."""
    primary = language.partition("-")[0].lower()
    known = _BY_LANGUAGE.get("no" if primary in ("nb", "nn") else primary)
    return DigestWords(*known) if known else _ENGLISH
