"""The commonest words of languages, by which a text's language is told.

Function words make up a third to a half of running text in any language.  A text of a few
sentences has enough of them to tell even near languages apart, where the lists name the words in
which those differ.
"""

from __future__ import annotations

from collections.abc import Mapping

_LATIN = {
    "en": "the of and to in is that it was for on are with as his they at be this from have or by "
    "had not but what all were when we there can an your which their said if will each "
    "about how she he you has been more who would these than its into could our do does i",
    "de": "der die und den von zu das mit sich des auf für ist im dem nicht ein eine als auch es "
    "an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen "
    "so zum war haben nur oder aber vor zur bis mehr durch man sein wurde wenn ich wir ihr "
    "kann",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce "
    "il sont aux avec son cette ou ses mais comme on tout nous sa fait été aussi leur bien "
    "peut ces elle être deux même sans vous je d'un d'une l'on c'est n'est qu'il où très",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero "
    "sus le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había "
    "era muy años hasta desde está mi porque qué sólo han yo hay vez puede todos así nos ni",
    "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi "
    "ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até "
    "isso ela entre era depois sem mesmo aos ter seus quem nas me esse eles estão você "
    "tinha foram",
    "it": "di e il la che in a per è un del non una sono con si da le dei nel alla come i più lo "
    "ha anche della al ma gli se dal delle ed questo o nella su ci cui l'ha ai essere stato "
    "loro dalla dell'anno degli tra quando era molto così solo suo sua fatto perché tutti "
    "chi c'è un'altra",
    "nl": "de van het een en in is dat op te zijn met voor die niet aan er om ook als bij door "
    "maar uit wordt naar over ze hij dan heeft of meer werd nog deze tot al worden kan was "
    "wat we zich geen je haar hun ik zo moet veel na onder zou waar hebben wel dit",
    "sv": "och i att det som en på är av för med till den har de inte om ett han men var jag sig "
    "från vi så kan när år under också efter eller nu sin där vid mot ska skulle kommer ut "
    "får finns vara hade alla andra mycket än här då sedan över bara in blir upp även",
    "da": "og i at det er en til på som af for den med der de har ikke et om han var jeg men sig "
    "fra vi så kan når år også efter eller nu sin hvor ved skal ville kommer ud får være "
    "havde alle andre meget end her da over kun ind bliver op blev hun mod hvad noget",
    "no": "og i det er på som en til å for at av har med de den ikke et om han var jeg men seg "
    "fra vi så kan når år også etter eller nå sin hvor ved skal ville kommer ut får være "
    "hadde alle andre mye enn her da over bare inn blir opp ble hun mot hva noe",
    "fi": "ja on ei että se oli hän ovat mutta kun myös joka tai niin kuin ole vain sen olla "
    "siitä mukaan jo voi jos mitä nyt hänen sitä koko vuoden sekä jotka ettei jälkeen minä "
    "tämä ne kaikki me he sitten vielä kanssa olisi tämän mitään joita",
    "pl": "i w na z się nie do jest to że o jak za po a od przez co ale dla tym był są oraz ich "
    "tego jego być może tylko jej przy które który już może która także ma było jako tak "
    "przed pod również więc czy kiedy bardzo nad ze gdy bo lub",
    "cs": "a v se na je že s z to do o i jako za ale podle k si po by jsem pro od jeho byl které "
    "jsou která který tak nebo při také ve před až byla jen bylo což už má jak však ze aby "
    "být když pak jeho jejich mezi než více roku není",
    "sk": "a v sa na je že s z to do o i ako za ale podľa k si po by som pre od jeho bol ktoré sú "
    "ktorá ktorý tak alebo pri tiež vo pred až bola len bolo čo už má však zo aby byť keď "
    "potom ich medzi viac roku nie aj",
    "hu": "a az és hogy nem is egy ez meg de volt csak már mint el még ha ezt vagy ki azt kell "
    "van lehet amely után nagyon minden mert sem szerint pedig arra ami vannak lesz azonban "
    "mi be olyan több aki ezek illetve között",
    "ro": "de și în a la cu că pe o nu care din un este mai pentru sa au fost se prin sau al ale "
    "lui dar ca după sunt acest această fi am cel cea lor iar când doar între era nici "
    "toate ei să până unde fără foarte dacă",
    "hr": "i u je se na da za od su a o s ne iz što koji to kao bi nije će koja koje ali do po "
    "sam te ili biti samo prema bio već može sve više zbog bila kako kad još nakon između "
    "svoje gdje uz tko tijekom također",
    "sl": "je in v na se da za so ki z pa ne po tudi s kot bi iz od do bil če ali več še lahko o "
    "ko pri smo kar le ni bilo to ter pred ob zaradi med bo sem samo kako svoje zelo že "
    "tako bila",
    "lt": "ir į yra kad su iš o kaip ne buvo tai bet už apie po ar jo nuo savo iki per tik jis "
    "dar jau taip pat prie labai kai kurie metų gali jų arba buvo buvo dėl",
    "lv": "un ir ar no kas par uz ka bet tas pie tā arī nav bija vai kā viņš pēc līdz šo savu to "
    "tikai lai jau ļoti būs kad tiek gan vēl gada kuri šī",
    "et": "ja on ei et see oli kui ka mis oma ta aga kes või ning mida siis selle nii veel pole "
    "olid välja seda juba ole üle saab olla kuid pärast mille ma üks",
    "tr": "ve bir bu da de için ile çok olarak daha olan en gibi kadar sonra o ne var ama ise "
    "değil diye her şey mi ben göre ya iki kendi olduğunu oldu bütün yeni önce ki nasıl "
    "sadece hem",
    "id": "yang dan di dengan untuk dari ini itu tidak dalam pada adalah ke akan juga saya ada "
    "oleh bisa atau kami sudah telah karena mereka lebih seperti tersebut dia kita dapat "
    "para bahwa anda menjadi secara hanya tahun saat orang",
    "vi": "và của là có không được cho các một người trong đã này với những để khi đến về như "
    "cũng ra từ nhiều năm tại nhưng hơn sẽ vào bị phải trên sau lại rất tôi thì",
    "ca": "de la i el que a les en els un per amb del una no és al dels més es ha com són va "
    "aquest però seva seu aquesta o també ser fins molt on entre han sobre quan l'any d'un "
    "hi si ja perquè tot després havia",
    "eu": "eta da ez du bat izan dira ere baina zen egin dute hori hau zuen edo baino behar gero "
    "den beste oso bere dela ditu horrek egiten dugu nahi",
    "gl": "de a o que e do da en un para é con non unha os no se na por máis as dos como pero foi "
    "ao ten á súa seu ou ser cando moi hai nos xa está tamén só polo pola ata isto ela "
    "entre era despois sen mesmo aos",
    "af": "die van en in is het dat te 'n nie om vir met wat op hy sal by aan was word as sy ek "
    "ook maar uit so kan of ons hulle deur baie moet nog tot daar een hierdie",
    "is": "og að í á er það sem til en við með um var hann fyrir ekki af eru þess frá þar þá sér "
    "hún hefur þetta því verið hafa eftir ég úr ári voru þeir svo eða einnig",
    "ga": "agus an na a i go ar is le tá do ag ní sé sa ó bhí sin ach as seo mar atá don faoi sí "
    "gan bhfuil leis ann féin",
    "cy": "y yn a i o ar yr ac ei mae am wedi gan bod ond oedd hyn fel eu sydd fod mewn dros hwn "
    "nid cael gyda neu hefyd",
    "sq": "të e në dhe për një që me nga është i më nuk se ka si do u ka kjo ky por janë deri "
    "edhe kanë shumë ose duke vetëm ndaj",
    "sw": "na ya wa kwa ni katika za la kuwa hii kama huo cha watu hiyo alisema yake lakini baada "
    "wake pia mwaka ambao hilo bila sana",
    "tl": "ang ng sa na at mga ay ni si ito para hindi kung may siya niya ko o isang kanyang nang "
    "din lang mula pero ako dahil",
}
_OTHERS: dict[str, dict[str, str]] = {
    "cyrillic": {
        "ru": "и в не на что с он как по это но из у за его от так же для бы о к все был было или "
        "мы они только после если уже его чтобы была этого также может когда есть до при "
        "году",
        "uk": "і в не на що з та до у за як для від це про й але його є по так був було або ми "
        "вони тільки після якщо вже щоб була цього також може коли при році який які яка "
        "під",
        "bg": "и на в да от за се е с не че по са като но до със това ще към или при му има беше "
        "който което които си ли може само след през бъде във тя той ни още г",
        "sr": "и у је се на да за од су а о са не из што који то као би није ће која које али до "
        "по сам те или бити само према био већ може све више због била како",
        "mk": "и на во да од за се е со не што по ќе но до како ова или при има беше кој која кои "
        "си може само по тој таа тие ги го му уште година",
        "be": "і ў не на што з як для гэта але яго ад па за каб у быў былі або мы яны толькі "
        "пасля калі ўжо была таксама можа пры годзе які якія да",
        "kk": "және бұл бір мен деп да де үшін туралы болып бар екен емес оның көп ол болды ал "
        "қазақ жаңа соң",
    },
    "arabic": {
        "ar": "في من على إلى أن عن التي الذي هذا هذه مع ما لا كان بعد كما ذلك بين أو قد لم كل قال "
        "وقال إن ثم حتى وفي منذ عند هو هي أنه",
        "fa": "و در به از که این را با است برای آن های یک تا می بر خود شده کرد هم شد او ما اما یا "
        "نیز دو پس اگر بود باشد",
        "ur": "کے کی میں ہے اور سے کا کو اس نے ہیں پر یہ کہ بھی کر تھا ایک جو گیا تو ان نہیں ہو "
        "تھے",
        "ps": "د په او چې ته کې له دا سره یې هم نه کړي شوي کوي څخه وي دغه",
        "ckb": "لە و بە کە بۆ ئەم لەگەڵ هەموو ئەو دەکات یان نەبوو",
    },
    "hebrew": {
        "he": "של את על לא זה הוא עם גם כי או אם היא אני כל אבל יותר היה מה רק בין אל הם עוד",
        "yi": "די און אין איז פון דער צו דאס ער האט מיט אויף נישט אז פאר",
    },
    "devanagari": {
        "hi": "के में है की और से का को पर यह कि ने हैं एक भी नहीं था तो कर हो इस जो लिए",
        "mr": "आहे आणि या व च्या हे ते की तर होते मध्ये झाले नाही केली आहेत असे",
        "ne": "र छ को मा पनि भने गरेको हुन लागि छन् यो थियो भएको",
    },
}


def _sets(words: Mapping[str, str]) -> dict[str, frozenset[str]]:
    return {language: frozenset(listed.split()) for language, listed in words.items()}


WORDS = {"latin": _sets(_LATIN)} | {name: _sets(words) for name, words in _OTHERS.items()}

#: Words of a sample below which none is told apart.
_FEWEST = 20
#: The share of common words that a text has at least; and by how many of them, and by which share
#: of all words, the best language leads.
_SHARE = 0.15
_LEAD, _LEAD_SHARE = 3, 0.01


def common_word_share(counts: Mapping[str, int], language: str, script: str) -> float:
    """Return the share of a language's common words in a text, 1 for a language without a list."""
    words = WORDS.get(script, {}).get(language)
    if words is None:
        return 1.0
    return sum(counts[word] for word in counts.keys() & words) / max(1, sum(counts.values()))


def language_by_words(counts: Mapping[str, int], script: str) -> str:
    """Return the language of a text, given how often each word occurs in it; '' when unsure."""
    total = sum(counts.values())
    if total < _FEWEST or script not in WORDS:
        return ""
    found = sorted(
        (sum(counts[word] for word in counts.keys() & words), language)
        for language, words in WORDS[script].items()
    )
    (second, _), (best, language) = found[-2:]
    clear = best - second >= _LEAD + _LEAD_SHARE * total
    return language if clear and best >= _SHARE * total else ""
