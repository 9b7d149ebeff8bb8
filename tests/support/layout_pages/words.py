"""Sentences of our own that the laid-out pages are filled with; invented places and people."""

ENGLISH = """The ferry to Norrholm was cancelled for the third morning in a row on Tuesday.
Passengers had been waiting on the quay since five, with coffee from the only kiosk that was open.
According to the harbour master, the ice had moved faster than anyone had expected.
"We can break what is on top, but not what the wind pushes against the piers," she said.
The company has hired a second vessel, which is not due before the end of the month.
Until then the islanders rely on a helicopter that carries four people and the mail.
A pharmacist in the village has begun to count the days by the insulin that is left.
School has moved into the parish hall, because the teacher lives on the mainland.
Nobody here speaks of an emergency, although the word has been used in the capital.
The last time the sound froze like this was in the winter of 1987.
Back then men walked across with sledges, and one of them did not come back.
His nephew keeps the sledge in a shed behind the church and shows it to visitors.
The council will meet on Thursday to decide who is to pay for the extra flights.
Its budget for the winter was spent by the second week of January.
Engineers measured forty centimetres of ice at the mouth of the river.
They drill a new hole every hundred metres and write the depth on a board.
What they fear most is not the thickness but the noise it makes at night.
In the old warehouse the fish are kept as cold as they were a century ago.
The price of firewood has doubled since the first storm of the season.
A retired pilot offered to guide the ships by radio from his kitchen window.
He knows every rock in the strait by the name his grandmother gave it.
Most of those names are on no chart, and the young captains write them down.
The museum of the town opened a small room for the maps that were found in the attic.
They had been drawn by a priest who counted his steps between the farms.
Each farm is shown with the number of its windows, because windows were taxed.
The paper was made from rags, and it has lasted better than the ink.
Restorers spent two winters flattening the sheets between felt and glass.
Under a microscope the brown lines turned out to be oak gall and rust.
One sheet shows a road that no one had known of, leading into the marsh.
Last summer a student followed it with a borrowed compass and found a bridge.
It stood under a metre of peat, and its beams were still sound.
The wood was felled in the spring of 1641, as its rings tell.
How a bridge came to be forgotten is a question the archive cannot answer.
Perhaps the road was moved when the mill burned down and the miller left.
The marsh has grown over it at a rate of three millimetres a year.
Bees from the monastery garden produce a dark honey that tastes of heather.
The abbot sells it in jars without labels, because everyone knows where it comes from.
A hive needs about twenty kilograms of stores to see it through a northern winter.
In a mild year the cluster breaks too early, and the brood dies in the first frost.
The keepers listen to the boxes with a stethoscope rather than open them.
A steady hum means that the queen is alive and the colony is warm.
When the sound is thin and high, they bring sugar candy on a sheet of paper.
Researchers compared hives in town with hives in the woods over six seasons.
The town bees had more to eat and more parasites, and lived about as long.
Rooftops warm up sooner in the day, which gives the foragers an extra hour.
Lime trees along the avenue are worth more to them than a field of clover.
The study did not look at wild bees, which is what its authors would do next.
Sound travels through the ground as well as through the air, only faster.
A row of microphones in a trench can tell a lorry from a herd of cows.
Railways bury such cables beside the track to hear a wheel that is not round.
The signal is a change in the light that comes back through a glass fibre.
Nothing in the ground needs power, and the fibre is often there already.
At night, when traffic stops, the instrument records the tide against the coast.
It once picked up the bells of a cathedral eleven kilometres away.
Software sorts the noises into kinds and keeps only what it cannot name.
Those recordings are played to two people who have worked at it for years.
They recognise the pump of the waterworks and a particular motorbike.
The method will not replace the inspectors, who walk the line with hammers.
Bread rises more slowly at the top of a mountain stove than the books allow.
The baker starts her dough at midnight and sleeps beside it until four.
She uses rye from the valley, which smells of hay when it is milled.
Her oven is fired with beech, and the stones hold their heat for a day.
Tourists ask for white rolls, and she sends them to the hotel.
What is left at noon goes to a man who keeps pigs and brings her eggs.
She has never written the recipe down, because the flour is different each week.
An apprentice learns it with the hands, she says, or does not learn it.
Last year there were three of them, and one has opened a bakery by the lake.
The guild has asked for her bread to be protected by name.
She signed the form and forgot about it until the letter came.""".split("\n")

CHINESE = """港口的渡轮连续第三天停航，码头上等候的人越来越多。
海冰移动的速度比所有人预想的都要快，引航员只好折返。
岛上的药店开始按剩余的药品计算日子，学校搬进了教堂的大厅。
渔业公司租用的第二艘破冰船要到月底才能抵达。
在此之前，岛民只能依靠一架一次载四个人的直升机。
议会将在星期四开会，讨论由谁来支付额外的飞行费用。
工程师每隔一百米钻一个孔，把冰的厚度写在木板上。
最让他们担心的不是厚度，而是夜里冰层发出的声音。
旧仓库里的鱼保存得和一百年前一样好。
一位退休的领航员提出从自家厨房的窗口用无线电引导船只。
他认得海峡里的每一块礁石，名字是祖母教给他的。
这些名字大多没有出现在海图上，年轻的船长们把它们记了下来。
博物馆为阁楼里发现的地图开辟了一间小小的展室。
地图出自一位牧师之手，他用脚步丈量农场之间的距离。
修复人员花了两个冬天，把纸张夹在毛毡和玻璃之间压平。
去年夏天，一名学生带着借来的指南针，找到了图上的那座桥。
桥埋在一米深的泥炭下面，木梁依然完好。
年轮显示，这些木材砍伐于一六四一年的春天。""".split("\n")

ARABIC = """توقفت العبّارة عن العمل لليوم الثالث على التوالي بسبب الجليد الذي أغلق مدخل الميناء.
انتظر الركاب على الرصيف منذ الفجر، ولم يكن مفتوحاً سوى مقهى صغير واحد.
قالت مديرة الميناء إن الجليد تحرك بسرعة لم يتوقعها أحد من العاملين هنا.
استأجرت الشركة سفينة ثانية، لكنها لن تصل قبل نهاية الشهر الجاري.
يعتمد سكان الجزيرة حتى ذلك الحين على طائرة صغيرة تنقل أربعة أشخاص والبريد.
انتقلت المدرسة إلى قاعة القرية لأن المعلمة تسكن في الجانب الآخر من المضيق.
سيجتمع المجلس يوم الخميس ليقرر من يدفع ثمن الرحلات الإضافية.
يحفر المهندسون ثقباً كل مئة متر ويكتبون سماكة الجليد على لوح خشبي.
ما يخشونه ليس السماكة بل الصوت الذي يصدره الجليد في الليل.
عرض طيار متقاعد أن يرشد السفن بالراديو من نافذة مطبخه.
يعرف كل صخرة في المضيق بالاسم الذي أعطته إياه جدته.
افتتح متحف البلدة غرفة صغيرة للخرائط التي وجدت في العلية.
رسمها رجل كان يعد خطواته بين المزارع ويكتبها في دفتر.
أمضى المرممون شتاءين في تسوية الأوراق بين اللباد والزجاج.""".split("\n")

HEADLINES = """Dunes wander into the next village
A choir without a conductor
Why the clock in Aldermoor runs backwards
Seven ways to store apples
The tax that closed the windows
Swimmers return to the canal
What the tram drivers want
Second-hand instruments, first-rate sound
Council postpones the new library
Storks nest on the radio mast
A winter on two wheels
The last letter carrier of Brack
How salt came to the mountains
Night trains are full again
An orchard for every school
The bridge that sings
Cheese from a cellar under the fort
Neighbours share one heating plant
Mushrooms by subscription
The lighthouse is for sale
A dictionary of smells
Old looms, new patterns
Where the swifts sleep
Ten walks with a view of the sea""".split("\n")

CAPTIONS = """The quay at Norrholm on Tuesday morning. Photo: K. Aster
Forty centimetres at the mouth of the river. Photo: archive
The priest's map, sheet nine of fourteen
Beams of the bridge after cleaning. Photo: town museum
Hives on the roof of the post office
The baker at her oven. Photo: L. Ombre
A fibre as thin as a hair in its sheath
The strait seen from the kitchen window""".split("\n")
