"""The commands and environments of TeX that only typeset, as MathJax and KaTeX document them.

Not among them is what defines commands or changes how they are read, what loads or styles
something, and what links to anything but another formula.
"""

from __future__ import annotations

import re

_LETTERS = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma
    tau upsilon phi chi psi omega varepsilon vartheta varkappa varpi varrho varsigma varphi digamma
    Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho Sigma
    Tau Upsilon Phi Chi Psi Omega varGamma varDelta varTheta varLambda varXi varPi varSigma
    varUpsilon varPhi varPsi varOmega upalpha upbeta upgamma updelta upepsilon uptheta uplambda
    upmu upnu uppi uprho upsigma uptau upphi upchi uppsi upomega Updelta Upomega thetasym aleph
    alef alefsym beth gimel daleth ell eth hbar hslash imath jmath Im Re image real wp weierp
    partial nabla Bbbk Game Finv N Z Q R C Reals reals natnums cnums Complex aa AA ae AE oe OE o O
    ss i j l L DH dh TH th micro
"""
_SYMBOLS = """
    infty infin emptyset empty varnothing forall exists exist nexists complement neg lnot top bot
    angle measuredangle sphericalangle triangle triangledown vartriangle square Box Diamond lozenge
    blacklozenge blacksquare blacktriangle blacktriangledown blacktriangleleft blacktriangleright
    bigstar star clubsuit clubs diamondsuit diamonds heartsuit hearts spadesuit spades flat natural
    sharp checkmark maltese dag dagger ddag ddagger Dagger S P sect pounds mathsterling euro yen
    copyright circledR circledS degree celsius ohm prime dprime trprime qprime backprime backslash
    surd diagup diagdown dots ldots cdots vdots ddots iddots dotsb dotsc dotsi dotsm dotso hdots
    mho Vert vert lvert rvert lVert rVert bracevert therefore because QED textdollar textunderscore
    textbackslash textless textgreater textbar textasciitilde textasciicircum textdegree
    textellipsis textendash textemdash textquoteleft textquoteright textquotedblleft
    textquotedblright textbraceleft textbraceright texteuro TeX LaTeX KaTeX
"""
_OPERATORS = """
    sum prod coprod int iint iiint iiiint intop smallint oint oiint oiiint idotsint bigcap bigcup
    bigsqcup bigsqcap biguplus bigvee bigwedge bigodot bigoplus bigotimes bigcirc bigtriangleup
    bigtriangledown pm plusmn mp times div cdot cdotp ldotp centerdot ast circ bullet amalg And
    oplus ominus otimes oslash odot circledast circledcirc circleddash cap cup Cap Cup doublecap
    doublecup uplus sqcap sqcup vee wedge land lor barwedge veebar doublebarwedge curlyvee
    curlywedge setminus smallsetminus wr lhd rhd unlhd unrhd ltimes rtimes leftthreetimes
    rightthreetimes intercal divideontimes dotplus boxplus boxminus boxtimes boxdot lessdot gtrdot
    triangleleft triangleright arcsin arccos arctan arctg arcctg arccot arcsec arccsc arg argmax
    argmin ch cos cosec cosh cot cotg coth csc csch ctg cth deg det dim exp gcd hom inf injlim ker
    lg lim liminf limsup ln log max min plim Pr projlim sec sech sh sin sinh sup tan tanh tg
    varinjlim varliminf varlimsup varprojlim mod bmod pmod pod operatorname operatornamewithlimits
    limits nolimits displaylimits
"""
_RELATIONS = """
    eq ne neq lt gt le leq leqq leqslant ge geq geqq geqslant ll lll llless gg ggg gggtr equiv sim
    simeq cong approx approxeq asymp doteq Doteq doteqdot propto varpropto prec preceq preccurlyeq
    precsim precapprox succ succeq succcurlyeq succsim succapprox subset sub subseteq sube
    subseteqq Subset supset supseteq supe supseteqq Supset sqsubset sqsubseteq sqsupset sqsupseteq
    in isin ni owns notin notni mid parallel shortmid shortparallel perp models vdash dashv vDash
    Vdash Vvdash smile frown smallsmile smallfrown bowtie Join between pitchfork backepsilon
    backsim backsimeq bumpeq Bumpeq circeq eqcirc triangleq risingdotseq fallingdotseq eqsim
    eqslantless eqslantgtr lesssim lessapprox lessgtr lesseqgtr lesseqqgtr gtrsim gtrapprox gtrless
    gtreqless gtreqqless thicksim thickapprox curlyeqprec curlyeqsucc vartriangleleft
    vartriangleright trianglelefteq trianglerighteq multimap origof imageof colon coloneq coloneqq
    colonequals Coloneq Coloneqq eqcolon eqqcolon Eqcolon Eqqcolon vcentcolon dblcolon coloncolon
    ratio colonapprox Colonapprox colonsim Colonsim not ngtr ngeq ngeqq ngeqslant nless nleq nleqq
    nleqslant nsim ncong nmid nparallel nshortmid nshortparallel nprec npreceq nsucc nsucceq
    nsubset nsubseteq nsubseteqq nsupset nsupseteq nsupseteqq ntriangleleft ntrianglelefteq
    ntriangleright ntrianglerighteq nvdash nvDash nVdash nVDash lneq lneqq lnsim lnapprox lvertneqq
    gneq gneqq gnsim gnapprox gvertneqq precneqq precnsim precnapprox succneqq succnsim succnapprox
    subsetneq subsetneqq varsubsetneq varsubsetneqq supsetneq supsetneqq varsupsetneq varsupsetneqq
"""
_ARROWS = """
    to gets leftarrow rightarrow leftrightarrow Leftarrow Rightarrow Leftrightarrow uparrow
    downarrow updownarrow Uparrow Downarrow Updownarrow longleftarrow longrightarrow
    longleftrightarrow Longleftarrow Longrightarrow Longleftrightarrow mapsto longmapsto
    hookleftarrow hookrightarrow leftharpoonup leftharpoondown rightharpoonup rightharpoondown
    leftrightharpoons rightleftharpoons upharpoonleft upharpoonright downharpoonleft
    downharpoonright nearrow searrow swarrow nwarrow leadsto rightsquigarrow leftrightsquigarrow
    dashleftarrow dashrightarrow leftleftarrows rightrightarrows leftrightarrows rightleftarrows
    upuparrows downdownarrows Lleftarrow Rrightarrow twoheadleftarrow twoheadrightarrow
    leftarrowtail rightarrowtail looparrowleft looparrowright curvearrowleft curvearrowright
    circlearrowleft circlearrowright Lsh Rsh restriction nleftarrow nrightarrow nleftrightarrow
    nLeftarrow nRightarrow nLeftrightarrow implies impliedby iff larr rarr lrarr uarr darr Larr
    Rarr Lrarr lArr rArr lrArr Uarr Darr uArr dArr harr hArr Harr xleftarrow xrightarrow
    xleftrightarrow xLeftarrow xRightarrow xLeftrightarrow xmapsto xhookleftarrow xhookrightarrow
    xleftharpoonup xleftharpoondown xrightharpoonup xrightharpoondown xleftrightharpoons
    xrightleftharpoons xtwoheadleftarrow xtwoheadrightarrow xlongequal xtofrom
"""
_DELIMITERS = """
    left right middle big Big bigg Bigg bigl Bigl biggl Biggl bigm Bigm biggm Biggm bigr Bigr biggr
    Biggr langle rangle lang rang lparen rparen lbrack rbrack lbrace rbrace lBrace rBrace llbracket
    rrbracket lceil rceil lfloor rfloor lmoustache rmoustache lgroup rgroup ulcorner urcorner
    llcorner lrcorner arrowvert Arrowvert abs norm bra ket braket Bra Ket Braket
"""
_ACCENTS = """
    acute bar breve check ddot dddot ddddot dot grave hat widehat widecheck tilde widetilde utilde
    mathring vec overline underline overbrace underbrace overbracket underbracket overparen
    underparen overgroup undergroup overleftarrow overrightarrow overleftrightarrow underleftarrow
    underrightarrow underleftrightarrow Overrightarrow overleftharpoon overrightharpoon underbar
    overlinesegment underlinesegment wideparen H b c d k r t u v
"""
_LAYOUT = """
    frac dfrac tfrac cfrac genfrac binom dbinom tbinom over above atop choose brace brack
    overwithdelims atopwithdelims abovewithdelims sqrt root of uproot leftroot surd stackrel
    stackbin overset underset buildrel substack sideset prescript skew cancel bcancel xcancel
    cancelto sout boxed fbox framebox angl angln phase begin end cr newline hline hdashline hfill
    hfil hfilll multicolumn cline vline shoveleft shoveright intertext tag notag nonumber label ref
    eqref matrix pmatrix cases displaylines eqalign eqalignno mathchoice mathop mathrel mathbin
    mathord mathopen mathclose mathpunct mathinner ce pu
"""
_FONTS = """
    mathrm mathbf mathit mathsf mathtt mathcal mathscr mathbb mathfrak mathds mathbbm mathnormal
    mathup mathbfit mathbfsf mathsfit mathbfcal mathbfscr mathbffrak boldsymbol bm bold pmb Bbb
    frak scr cal oldstyle rm bf it sf tt sl mit text textrm textbf textit textsf texttt textup
    textsc textmd textnormal textsl emph hbox mbox vbox vcenter displaystyle textstyle scriptstyle
    scriptscriptstyle tiny Tiny scriptsize footnotesize small normalsize large Large LARGE huge
    Huge
"""
_SPACING = """
    thinspace medspace thickspace enspace enskip quad qquad negthinspace negmedspace negthickspace
    space Space nobreakspace nobreak allowbreak hspace hskip kern mkern mskip mspace strut
    mathstrut phantom hphantom vphantom smash llap rlap clap mathllap mathrlap mathclap raise lower
    raisebox moveleft moveright rule relax
"""
_ENVIRONMENTS = """
    matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix psmallmatrix bsmallmatrix array
    darray subarray cases dcases rcases drcases numcases aligned align alignat alignedat flalign
    gathered gather multline multlined split equation eqnarray xalignat CD
"""
#: The commands that a formula may contain.
COMMANDS = frozenset(
    " ".join((
        _LETTERS, _SYMBOLS, _OPERATORS, _RELATIONS, _ARROWS, _DELIMITERS, _ACCENTS, _LAYOUT, _FONTS,
        _SPACING,
    )).split()
)  # fmt: skip
#: The environments that a formula may contain, without the star of variants.
ENVIRONMENTS = frozenset(_ENVIRONMENTS.split())

_COMMAND = re.compile(r"\\([A-Za-z@]+|.)")
_AROUND = re.compile(r"\\(?:begin|end)(?![A-Za-z@])(?:\s*\{([A-Za-z]+)\*?\})?")
#: Characters by their codes, with which TeX can spell a command.
_SPELLED = re.compile(r"\\[A-Za-z@]*\^\^|\^\^[0-9a-f]{2}")


def only_typesets(tex: str) -> bool:
    """Return whether all commands and environments of a formula are known to only typeset."""
    names = (match[1] for match in _COMMAND.finditer(tex))
    environments = (match[1] for match in _AROUND.finditer(tex))
    return (
        all(name in COMMANDS or not (name[0].isalpha() or name[0] == "@") for name in names)
        and all(name in ENVIRONMENTS for name in environments)
        and _SPELLED.search(tex) is None
    )
