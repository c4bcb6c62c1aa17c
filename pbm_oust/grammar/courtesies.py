"""What people write around a move, in many languages: data, no code.

Case and accents do not matter, nor do signs between words. A language stands here with its
greetings, its thanks and good-byes, and what it says before or behind a move. No word stands here
that may doubt or deny, or that speaks of somebody else's move.
"""

GREETINGS = (
    # English, German, Dutch, Afrikaans
    *("hi", "hello", "hey", "dear", "hi there", "hello there", "hello again", "hi again", "howdy"),
    *("good morning", "good evening", "good afternoon", "good day", "greetings", "morning"),
    *("hallo", "hey du", "guten tag", "guten morgen", "guten abend", "servus", "moin", "liebe"),
    *("lieber", "gruss gott", "gruezi", "hoi", "dag", "beste", "goedemorgen", "goedenavond"),
    *("goedemiddag", "goeiedag", "goeie dag"),
    # Swedish, Danish, Norwegian, Finnish, Icelandic
    *("hej", "hejsan", "tjena", "god morgon", "god dag", "god kvall", "hei", "god morgen", "moi"),
    *("god aften", "god kveld", "kjære", "kære", "terve", "hyvaa paivaa", "huomenta", "hæ", "sæl"),
    # French, Spanish, Catalan, Portuguese, Italian, Romanian
    *("bonjour", "bonsoir", "salut", "coucou", "cher", "chere", "rebonjour", "hola", "buenas"),
    *("buenos dias", "buenas tardes", "buenas noches", "bon dia", "bona tarda", "ola", "oi"),
    *("bom dia", "boa tarde", "boa noite", "ciao", "buongiorno", "buonasera", "salve", "caro"),
    *("cara", "buna", "buna ziua", "buna seara", "estimado", "querido", "querida", "olá"),
    # Polish, Czech, Slovak, Slovene, Croatian, Hungarian
    *("czesc", "dzien dobry", "witaj", "hejka", "siema", "ahoj", "dobry den", "cau", "nazdar"),
    *("zivjo", "dober dan", "pozdravljen", "bok", "dobar dan", "zdravo", "szia"),
    *("jo napot", "sziasztok", "udv", "kedves"),
    # Russian, Ukrainian, Bulgarian, Serbian
    *("привет", "здравствуйте", "здравствуй", "добрый день", "доброе утро", "добрый вечер"),
    *("привіт", "добрий день", "вітаю", "здравей", "здравейте", "добър ден", "здраво"),
    "добар дан",
    # Greek, Turkish, Lithuanian, Latvian, Estonian
    *("γεια", "γεια σου", "καλημερα", "καλησπερα", "merhaba", "selam", "gunaydin", "iyi aksamlar"),
    *("labas", "laba diena", "sveiki", "sveiks", "labdien", "tere", "tervist"),
    # Vietnamese, Indonesian, Thai, Hebrew, Arabic
    *("xin chao", "chao", "chao ban", "halo", "selamat pagi", "selamat malam", "selamat siang"),
    *("สวัสดี", "สวัสดีครับ", "สวัสดีค่ะ", "שלום", "היי", "הי", "مرحبا", "السلام عليكم", "أهلا"),
    # Chinese, Japanese, Korean
    *("你好", "您好", "嗨", "大家好", "こんにちは", "こんばんは", "おはようございます", "どうも"),
    *("안녕하세요", "안녕"),
)
"""A name may follow, also in small letters."""

THANKS = (
    # English, German, Dutch, Afrikaans
    *("thanks", "thank you", "many thanks", "thanks a lot", "thank you very much", "thx", "ty"),
    *("thanks again", "cheers", "bye", "bye bye", "regards", "best regards", "kind regards"),
    "best",
    *("best wishes", "all the best", "good luck", "have fun", "gl", "gl hf", "glhf", "see you"),
    *("take care", "sincerely", "yours sincerely", "thanks for the game", "thank you for the game"),
    *("enjoy", "good game", "greetings from", "your turn", "your move", "over to you"),
    *("danke", "vielen dank", "danke schon", "dankeschon", "besten dank", "grusse", "gruss", "lg"),
    *("viele grusse", "liebe grusse", "schone grusse", "beste grusse", "mfg", "vg", "bis bald"),
    *("mit freundlichen grussen", "viel gluck", "viel spass", "tschuss", "du bist dran"),
    *("bedankt", "dank je", "dank u", "dank je wel", "groet", "groeten", "groetjes", "succes"),
    *("met vriendelijke groet", "tot ziens", "doei", "dankie"),
    # Swedish, Danish, Norwegian, Finnish, Icelandic
    *("tack", "tack sa mycket", "halsningar", "mvh", "lycka till", "tak", "mange tak", "hilsen"),
    *("hilsner", "venlig hilsen", "held og lykke", "takk", "tusen takk", "lykke til", "vi ses"),
    *("kiitos", "kiitti", "terveisin", "onnea", "hei hei", "ha det", "hej da", "hej hej", "kvedja"),
    # French, Spanish, Catalan, Portuguese, Italian, Romanian
    *("merci", "merci beaucoup", "merci bien", "cordialement", "amities", "a bientot", "a plus"),
    *("bonne chance", "bonne journee", "bonne soiree", "bonne partie", "au revoir", "amicalement"),
    *("bien a toi", "bien a vous", "bises", "a toi", "a toi de jouer", "a vous", "gracias"),
    *("muchas gracias", "saludos", "un saludo", "suerte", "buena suerte", "adios", "te toca"),
    *("un abrazo", "gracies", "moltes gracies", "salutacions", "adeu", "obrigado"),
    *("obrigada", "muito obrigado", "abraco", "abracos", "boa sorte", "ate logo", "grazie"),
    *("grazie mille", "saluti", "cordiali saluti", "buona fortuna", "a presto", "tocca a te"),
    *("multumesc", "mersi", "noroc", "mult noroc", "la revedere", "cu drag", "numai bine"),
    # Polish, Czech, Slovak, Slovene, Croatian, Hungarian
    *("dzieki", "dziekuje", "pozdrawiam", "powodzenia", "pozdrowienia", "diky", "dekuji", "dik"),
    *("s pozdravem", "hodne stesti", "dakujem", "s pozdravom", "vela stastia", "hvala", "pozdrav"),
    *("lep pozdrav", "lp", "srecno", "sretno", "koszonom", "koszi", "udvozlettel", "sok sikert"),
    # Russian, Ukrainian, Bulgarian, Serbian
    *("спасибо", "большое спасибо", "удачи", "всего доброго", "с уважением", "пока", "дякую"),
    *("щиро дякую", "успіхів", "хай щастить", "благодаря", "мерси", "късмет", "поздрави", "хвала"),
    *("срећно", "поздрав"),
    # Greek, Turkish, Lithuanian, Latvian, Estonian
    *("ευχαριστω", "καλη τυχη", "χαιρετισμους", "tesekkurler", "tesekkur ederim", "sagol"),
    *("iyi sanslar", "iyi oyunlar", "saygilar", "aciu", "sekmes", "paldies", "veiksmi", "aitah"),
    *("tanan", "edu", "tervitades"),
    # Vietnamese, Indonesian, Thai, Hebrew, Arabic
    *("cam on", "cam on ban", "chuc may man", "terima kasih", "semoga berhasil", "salam"),
    *("ขอบคุณ", "ขอบคุณครับ", "ขอบคุณค่ะ", "โชคดี", "תודה", "תודה רבה", "בהצלחה", "شكرا"),
    *("شكرا لك", "حظا سعيدا"),
    # Chinese, Japanese, Korean
    *("谢谢", "多谢", "謝謝", "感谢", "祝你好运", "ありがとう", "ありがとうございます"),
    *("よろしくお願いします", "よろしく", "お願いします", "감사합니다", "고마워요", "고맙습니다"),
)
"""A name may follow."""

AROUND = (
    # English, German, Dutch, Afrikaans
    *("i play", "i'll play", "i will play", "i'm playing", "i am playing", "i go", "i'll go"),
    *("i will go", "i go to", "i choose", "i move", "i'll move", "i take", "i'll take", "i place"),
    *("i'll place", "i put", "i'd like to play", "i would like to play"),
    *("i want to play", "i say", "i pick", "let me play", "let's play", "let's go", "let's try"),
    *("my move", "my move is", "my move this time is", "here is my move", "here's my move", "my"),
    *("my turn", "my answer is", "my next move is", "my reply is", "my stone goes", "move", "play"),
    *("i", "go", "place", "a stone", "stone", "at", "on", "to", "with", "please", "pls", "ok"),
    *("okay", "yes", "well", "so", "now", "it is", "this time", "for me", "from me", "i'm going"),
    *("i go with", "i'll try", "i think i'll play", "and", "the point", "then", "i start", "here"),
    *("i'll start", "i will start", "start", "let me start", "let's start", "i begin", "begin"),
    *("i'll begin", "first", "first move", "my first move", "my first move is", "next", "again"),
    *("hmm", "hm", "ah", "oh", "i guess", "i guess i'll play", "i guess i'll go", "let me try"),
    *("i think", "i think i'll go", "i think i'll take", "i would play", "i'd play", "i answer"),
    *("i reply", "i respond", "it's", "here goes", "here we go", "here we go again", "for now"),
    *("wins", "i win", "and i win", "for my move", "sure"),
    *("i capture", "i'll capture", "capture", "capturing", "i continue", "i'll continue"),
    *("my stone", "my stone goes to", "i decided on", "i've decided on", "going", "going for"),
    *("i'll go for", "i go for", "let's do", "i'll do", "i do", "i'll have", "just", "of course"),
    *("ich spiele", "ich setze", "ich ziehe", "ich nehme", "ich lege", "mein zug", "mein zug ist"),
    *("mein zug lautet", "hier mein zug", "hier ist mein zug", "ich gehe", "ich mochte", "ich"),
    *("spiele", "setze", "ziehe", "ich wahle", "nach", "auf", "bitte", "gerne", "ja", "zug"),
    "dann",
    *("ich fange", "ich beginne", "ich beginne mit", "ich fange an mit", "mit", "ich schlage"),
    *("ich versuche", "ich versuche es mit", "zuerst", "na gut", "gut", "nun", "hier", "weiter"),
    *("also", "einen stein", "spielen", "setzen", "ich antworte", "ik speel", "ik zet", "ik doe"),
    *("mijn zet", "mijn zet is", "ik kies", "ik ga", "ik neem", "op", "naar", "zet", "graag"),
    *("alsjeblieft", "alstublieft", "ek speel", "my skuif", "asseblief"),
    # Swedish, Danish, Norwegian, Finnish, Icelandic
    *("jag spelar", "mitt drag", "mitt drag ar", "jag lagger", "jag tar", "pa", "jeg spiller"),
    *("mit traek", "mit træk", "mit træk er", "mitt trekk", "mitt trekk er", "jeg tar"),
    "jeg tager",
    *("jeg legger", "jeg sætter", "jeg setter", "min tur", "pelaan", "siirtoni", "siirtoni on"),
    *("siirto", "ole hyva", "eg spila", "leikurinn minn er", "takk", "værsgo", "var sa god"),
    # French, Spanish, Catalan, Portuguese, Italian, Romanian
    *("je joue", "je place", "je pose", "je mets", "je vais en", "je choisis", "je prends", "je"),
    *("mon coup", "mon coup est", "voici mon coup", "mon coup c'est", "j'ai choisi", "en", "a"),
    *("je vais jouer", "je jouerai", "ce sera", "je tente", "je reponds", "jouer", "joue"),
    *("s'il te plait", "s'il vous plait", "svp", "stp", "oui", "alors", "moi", "pour moi", "donc"),
    *("puis", "ensuite", "d'abord", "je commence", "je commence par", "je commence en", "encore"),
    *("je prends en", "je capture", "je capture en", "je continue", "je continue en", "hum", "par"),
    *("je vais prendre", "j'essaie", "j'essaye", "pour commencer", "d'accord", "bon"),
    *("bien sur", "c'est", "mon premier coup", "mon premier coup est", "cette fois", "allez"),
    *("eh bien", "ma pose", "ma reponse", "juego", "yo juego", "mi jugada", "mi jugada es"),
    *("mi movimiento es", "mi movimiento", "muevo", "pongo", "elijo", "voy", "por favor"),
    *("jugo", "la meva jugada", "la meva jugada es", "si us plau", "eu jogo", "jogo"),
    "minha jogada",
    *("minha jogada e", "a minha jogada e", "o meu lance e", "coloco", "sim", "gioco", "io gioco"),
    *("la mia mossa", "la mia mossa e", "metto", "scelgo", "muovo", "per favore", "per me", "joc"),
    *("mutarea mea", "mutarea mea este", "eu joc", "mut", "va rog", "te rog", "da"),
    # Polish, Czech, Slovak, Slovene, Croatian, Hungarian
    *("gram", "moj ruch", "moj ruch to", "zagrywam", "stawiam", "prosze", "tak", "hraji", "hraju"),
    *("muj tah", "muj tah je", "prosim", "ano", "hram", "moj tah", "moj tah je", "igram"),
    *("moja poteza", "moja poteza je", "moj potez", "moj potez je", "molim", "lepem", "a lepesem"),
    *("lepesem", "jatszom", "ezt lepem", "kerem", "na", "do"),
    # Russian, Ukrainian, Bulgarian, Serbian
    *("я хожу", "хожу", "мой ход", "играю", "ставлю", "я играю", "ход", "пожалуйста", "да", "на"),
    *("мій хід", "граю", "я ходжу", "ходжу", "будь ласка", "так", "моят ход", "моят ход е"),
    *("играя", "аз играя", "моля", "мој потез", "мој потез је", "играм", "молим"),
    # Greek, Turkish, Lithuanian, Latvian, Estonian
    *("παιζω", "η κινηση μου", "η κινηση μου ειναι", "παρακαλω", "ναι", "oynuyorum", "hamlem"),
    *("benim hamlem", "lutfen", "evet", "zaidziu", "mano ejimas", "prasau", "speleju"),
    *("mans gajiens", "ludzu", "mangin", "minu kaik", "minu kaik on", "palun"),
    # Vietnamese, Indonesian, Thai, Hebrew, Arabic
    *("toi choi", "toi đi", "nuoc đi cua toi", "nuoc đi cua toi la", "vui long", "saya main"),
    *("langkah saya", "langkah saya adalah", "saya pilih", "tolong", "ya", "ฉันเล่น", "ผมเล่น"),
    *("ครับ", "ค่ะ", "אני משחק", "אני משחקת", "המהלך שלי", "המהלך שלי הוא", "בבקשה", "ألعب"),
    *("نقلتي", "نقلتي هي", "من فضلك"),
    # Chinese, Japanese, Korean
    *(
        "我下",
        "我走",
        "我的一手是",
        "我选",
        "我選",
        "下",
        "走",
        "请",
        "請",
        "好",
        "私は",
        "に打ちます",
    ),
    *(
        "私の手は",
        "です",
        "でお願いします",
        "で",
        "に置きます",
        "をお願いします",
        "제 수는",
        "저는",
        "입니다",
        "에 둡니다",
    ),
    *("로 하겠습니다", "둘게요", "에 둘게요"),
)
"""What says that a move is the writer's, and words such as please."""

FOLLOWING = frozenset(("then", "puis", "ensuite", "dann", "danach", "luego", "poi", "sedan"))
"""Words that say that one placement follows another."""

DOUBTS = frozenset(
    (
        *("no", "not", "never", "don't", "dont", "can't", "cannot", "won't", "isn't", "wasn't"),
        *("or", "either", "instead", "rather", "unless", "if", "wait", "oops", "sorry", "mistake"),
        *("actually", "maybe", "perhaps", "wrong", "undo", "cancel", "stop", "forget", "ignore"),
        *("meant", "joking", "kidding", "should", "didn't", "doesn't", "correction", "except"),
        *("non", "pas", "jamais", "ou", "plutot", "sauf", "attends", "attendez", "pardon", "oups"),
        *("desole", "desolee", "erreur", "peut-etre", "annule", "si", "n'est", "n'ai", "n'etait"),
        *("nein", "nicht", "nie", "oder", "lieber", "warte", "moment", "vielleicht", "falsch"),
        *("wenn", "falls", "entschuldigung", "sondern", "kein", "keine", "doch", "niet", "nee"),
        *("of", "misschien", "wacht", "nej", "inte", "ikke", "nei", "eller", "ei", "tai"),
        *("o", "nunca", "mejor", "espera", "perdon", "quizas", "nao", "melhor", "talvez"),
        *("oppure", "mai", "aspetta", "scusa", "forse", "meglio", "albo", "lub", "ne"),
        *("nebo", "ali", "nem", "vagy", "не", "нет", "или", "або", "ні", "ој", "стой", "hayir"),
    )
)
"""Words that may take back what stands beside them, or limit it, in sentences of their own."""

MEANT = {
    "draw": "propose",
    "remis": "propose",
    "tie": "propose",
    "unentschieden": "propose",
    "match nul": "propose",
    "partie nulle": "propose",
    "nulle": "propose",
    "tablas": "propose",
    "patta": "propose",
    "empate": "propose",
    "gelijkspel": "propose",
    "resign": "resign",
    "i quit": "resign",
    "i give up": "resign",
    "give up": "resign",
    "i lose": "resign",
    "you win": "resign",
    "i concede": "resign",
    "concede": "resign",
    "surrender": "resign",
    "gebe auf": "resign",
    "ich gebe auf": "resign",
    "aufgeben": "resign",
    "aufgabe": "resign",
    "j'abandonne": "resign",
    "abandonne": "resign",
    "me rindo": "resign",
    "abandono": "resign",
    "mi arrendo": "resign",
    "abbandono": "resign",
    "desisto": "resign",
    "ik geef op": "resign",
    "poddaje sie": "resign",
    "сдаюсь": "resign",
    "jag ger upp": "resign",
    "jeg giver op": "resign",
    "jeg gir opp": "resign",
    "take back": "undo",
    "takeback": "undo",
    "take it back": "undo",
    "take that back": "undo",
    "take my move back": "undo",
    "take back my move": "undo",
    "zurucknehmen": "undo",
    "zuruck": "undo",
    "reprendre": "undo",
    "reprendre mon coup": "undo",
    "je reprends": "undo",
    "annuler": "undo",
    "deshacer": "undo",
    "ritiro": "undo",
    "terugnemen": "undo",
    "stop": "signoff",
    "unsubscribe": "signoff",
    "remove me": "signoff",
    "quit": "signoff",
    "arret": "signoff",
    "arreter": "signoff",
    "desabonner": "signoff",
    "desinscription": "signoff",
    "me desinscrire": "signoff",
    "abmelden": "signoff",
    "abbestellen": "signoff",
    "afmelden": "signoff",
    "darse de baja": "signoff",
    "baja": "signoff",
    "cancella": "signoff",
    "cancellami": "signoff",
}
"""Words that people write in place of a command, with the command that they may mean."""
