/**
 * Made-up addresses of many countries, in true forms, with the lines in which their country writes them: what is entered,
 * separated by |, and the lines without the country, separated by /.
 */

/** Country, name, company, line1, line2, city, province, postal code. */
export const writtenAddresses: readonly [entered: string, lines: string][] = [
  [
    'DE|Ada Lovelace|Acme|Hauptstraße 1|Etage 2|Berlin|BE|10115',
    'Ada Lovelace / Acme / Hauptstraße 1 / Etage 2 / 10115 Berlin',
  ],
  ['DE|Jörg Müller||Lindenweg 12a||München|Bavaria|80331', 'Jörg Müller / Lindenweg 12a / 80331 München'],
  ['DE|||Am Wall 3||Bremen||28195', 'Am Wall 3 / 28195 Bremen'],
  [
    'AT|Anna Huber|Huber GmbH|Ringstraße 5|Top 7|Wien|9|1010',
    'Huber GmbH / Anna Huber / Ringstraße 5 / Top 7 / 1010 Wien',
  ],
  ['AT|Max Gruber||Dorfplatz 2||Innsbruck|Tyrol|6020', 'Max Gruber / Dorfplatz 2 / 6020 Innsbruck'],
  [
    'CH|Urs Keller|Keller AG|Bahnhofstrasse 10||Zürich|ZH|8001',
    'Keller AG / Urs Keller / Bahnhofstrasse 10 / 8001 Zürich',
  ],
  ['CH|Claire Favre||Rue du Lac 4||Genève|GE|CH-1201', 'Claire Favre / Rue du Lac 4 / 1201 Genève'],
  ['LI|Rita Frick||Städtle 3||Vaduz||9490', 'Rita Frick / Städtle 3 / 9490 Vaduz'],
  [
    'FR|Camille Martin|Lumière SARL|12 Rue des Lilas|Bâtiment B|Lyon|69|69003',
    'Lumière SARL / Camille Martin / 12 Rue des Lilas / Bâtiment B / 69003 LYON',
  ],
  [
    "FR|Léa Dubois||5 Cours de l'Étoile||Saint-Étienne||42000",
    "Léa Dubois / 5 Cours de l'Étoile / 42000 SAINT-ÉTIENNE",
  ],
  ['RE|Paul Hoareau||8 Rue de Paris||Saint-Denis||97400', 'Paul Hoareau / 8 Rue de Paris / 97400 SAINT-DENIS'],
  ['MC|Louis Rossi||3 Avenue de la Costa||Monaco||98000', 'Louis Rossi / 3 Avenue de la Costa / 98000 Monaco'],
  [
    'BE|Jan Peeters|Peeters BV|Meir 20|bus 3|Antwerpen|VAN|2000',
    'Peeters BV / Jan Peeters / Meir 20 / bus 3 / 2000 Antwerpen',
  ],
  ['BE|Lise Lambert||Rue Haute 9||Bruxelles||1000', 'Lise Lambert / Rue Haute 9 / 1000 Bruxelles'],
  [
    'NL|Sanne de Vries||Keizersgracht 100||Amsterdam|NH|1015 CN',
    'Sanne de Vries / Keizersgracht 100 / 1015 CN Amsterdam',
  ],
  [
    'NL|Bram Bakker|Bakker B.V.|Dorpsstraat 1||Utrecht||3511 AB',
    'Bakker B.V. / Bram Bakker / Dorpsstraat 1 / 3511 AB Utrecht',
  ],
  ['LU|Marc Weber||2 Grand-Rue||Luxembourg||1660', 'Marc Weber / 2 Grand-Rue / L-1660 Luxembourg'],
  [
    'LU|Anne Schmit||7 Rue du Moulin||Esch-sur-Alzette||L-4240',
    'Anne Schmit / 7 Rue du Moulin / L-4240 Esch-sur-Alzette',
  ],
  [
    'GB|Emma Clarke|Clarke Ltd|10 High Street|Flat 2|London|ENG|EC1A 1BB',
    'Emma Clarke / Clarke Ltd / 10 High Street / Flat 2 / LONDON / EC1A 1BB',
  ],
  ['GB|Rory Boyd||4 Antrim Road||Belfast|Northern Ireland|bt9 5ab', 'Rory Boyd / 4 Antrim Road / BELFAST / BT9 5AB'],
  ['GB|Fiona Reid||22 Castle Street||Edinburgh|SCT|EH2 3AT', 'Fiona Reid / 22 Castle Street / EDINBURGH / EH2 3AT'],
  ['IE|Sean Murphy||14 Patrick Street||Cork|Co. Cork|T12 W8KP', 'Sean Murphy / 14 Patrick Street / Cork / T12 W8KP'],
  [
    'IE|Aoife Byrne|Byrne & Co|3 Main Street||Dublin|Dublin|D02 X285',
    'Aoife Byrne / Byrne & Co / 3 Main Street / Dublin / D02 X285',
  ],
  [
    'ES|Lucía García|Sol SL|Calle Mayor 1|2º B|Madrid|M|28013',
    'Lucía García / Sol SL / Calle Mayor 1 / 2º B / 28013 MADRID',
  ],
  [
    'ES|Carlos Pérez||Calle Triana 8||Las Palmas de Gran Canaria|GC|35002',
    'Carlos Pérez / Calle Triana 8 / 35002 LAS PALMAS DE GRAN CANARIA LAS PALMAS',
  ],
  ['ES|Núria Puig||Carrer Major 3||Girona|Girona|17001', 'Núria Puig / Carrer Major 3 / 17001 GIRONA'],
  [
    'PT|Inês Santos||Rua Augusta 15|3.º Esq.|Lisboa||1100-048',
    'Inês Santos / Rua Augusta 15 / 3.º Esq. / 1100-048 Lisboa',
  ],
  ['PT|Rui Freitas||Rua da Carreira 2||Funchal|Madeira|9000-042', 'Rui Freitas / Rua da Carreira 2 / 9000-042 Funchal'],
  [
    'IT|Giulia Rossi|Rossi S.r.l.|Via Roma 10|Scala B|Milano|MI|20121',
    'Giulia Rossi / Rossi S.r.l. / Via Roma 10 / Scala B / 20121 MILANO MI',
  ],
  ['IT|Karl Hofer||Laubengasse 5||Bozen|Bozen|39100', 'Karl Hofer / Laubengasse 5 / 39100 BOZEN BZ'],
  ['IT|Marco Greco||Via Etnea 99||Catania|Catania|95131', 'Marco Greco / Via Etnea 99 / 95131 CATANIA CT'],
  ['SM|Anna Gatti||Via Piana 3||San Marino||47890', 'Anna Gatti / Via Piana 3 / 47890 San Marino'],
  ['VA|Museo||Viale Vaticano 1||Città del Vaticano||00120', 'Museo / Viale Vaticano 1 / 00120 Città del Vaticano'],
  [
    'PL|Jan Kowalski|Kowalski Sp. z o.o.|ul. Długa 5|m. 12|Kraków|Małopolskie|31-146',
    'Jan Kowalski / Kowalski Sp. z o.o. / ul. Długa 5 / m. 12 / 31-146 Kraków',
  ],
  ['PL|Ewa Nowak||ul. Polna 7||Warszawa||00-622', 'Ewa Nowak / ul. Polna 7 / 00-622 Warszawa'],
  ['CZ|Petr Novák||Dlouhá 12||Praha 1||110 00', 'Petr Novák / Dlouhá 12 / 110 00 Praha 1'],
  ['SK|Jana Kováčová||Hlavná 3||Košice||040 01', 'Jana Kováčová / Hlavná 3 / 040 01 Košice'],
  ['HU|Kiss Anna||Fő utca 8.|2. em. 5.|Budapest||1011', 'Kiss Anna / Budapest / Fő utca 8. / 2. em. 5. / 1011'],
  ['SI|Maja Zupan||Cankarjeva 4||Ljubljana||1000', 'Maja Zupan / Cankarjeva 4 / 1000 Ljubljana'],
  ['HR|Ivan Horvat||Ilica 10||Zagreb||10000', 'Ivan Horvat / Ilica 10 / 10000 Zagreb'],
  ['RO|Ion Popescu||Strada Lungă 20||Brașov|Brașov|500051', 'Ion Popescu / Strada Lungă 20 / 500051 Brașov'],
  ['BG|Иван Петров||ул. Шипка 6||София||1504', 'Иван Петров / ул. Шипка 6 / 1504 София'],
  ['GR|Ελένη Παππά||Ερμού 15||Αθήνα|Αττική|105 63', 'Ελένη Παππά / Ερμού 15 / 105 63 Αθήνα'],
  ['GR|Nikos Dimas||Egnatia 40||Thessaloniki||546 25', 'Nikos Dimas / Egnatia 40 / 546 25 Thessaloniki'],
  ['CY|Maria Ioannou||Ledras 12||Nicosia||1011', 'Maria Ioannou / Ledras 12 / 1011 Nicosia'],
  [
    'DK|Mette Hansen||Strandvejen 7|2. th.|København K||1050',
    'Mette Hansen / Strandvejen 7 / 2. th. / 1050 København K',
  ],
  [
    'SE|Erik Larsson|Larsson AB|Storgatan 3||Stockholm||114 55',
    'Larsson AB / Erik Larsson / Storgatan 3 / 114 55 Stockholm',
  ],
  ['SE|Karin Berg||Kungsgatan 9||Göteborg||411 19', 'Karin Berg / Kungsgatan 9 / 411 19 Göteborg'],
  ['NO|Kari Olsen||Karl Johans gate 1||Oslo||0154', 'Kari Olsen / Karl Johans gate 1 / 0154 Oslo'],
  [
    'FI|Matti Virtanen||Mannerheimintie 5 A 3||Helsinki||00100',
    'Matti Virtanen / Mannerheimintie 5 A 3 / 00100 Helsinki',
  ],
  ['IS|Jón Jónsson||Laugavegur 26||Reykjavík||101', 'Jón Jónsson / Laugavegur 26 / 101 Reykjavík'],
  ['EE|Mari Tamm||Pikk 7-3||Tallinn|Harju maakond|10123', 'Mari Tamm / Pikk 7-3 / 10123 Tallinn Harju maakond'],
  ['LV|Anna Kalniņa||Brīvības iela 10||Rīga||LV-1010', 'Anna Kalniņa / Brīvības iela 10 / Rīga, LV-1010'],
  ['LT|Jonas Kazlauskas||Gedimino pr. 9||Vilnius||01103', 'Jonas Kazlauskas / Gedimino pr. 9 / LT-01103 Vilnius'],
  ['UA|Олена Коваль||вул. Хрещатик 22||Київ|Київ|01001', 'Олена Коваль / вул. Хрещатик 22 / Київ / 01001'],
  [
    'RU|Иван Петров||ул. Ленина, д. 5, кв. 12||Москва||125009',
    'Иван Петров / ул. Ленина, д. 5, кв. 12 / Москва / 125009',
  ],
  [
    'TR|Ayşe Yılmaz||İstiklal Caddesi No: 12||Beyoğlu|İstanbul|34430',
    'Ayşe Yılmaz / İstiklal Caddesi No: 12 / 34430 Beyoğlu/İstanbul',
  ],
  [
    'XK|Arben Krasniqi||Rruga Agim Ramadani 4||Prishtinë||10000',
    'Arben Krasniqi / Rruga Agim Ramadani 4 / 10000 Prishtinë',
  ],
  ['RS|Милан Јовић||Кнез Михаилова 5||Београд||11000', 'Милан Јовић / Кнез Михаилова 5 / 11000 Београд'],
  [
    'US|Ada Lovelace|Acme Inc.|1 Main Street|Suite 200|Springfield|IL|62701',
    'Ada Lovelace / Acme Inc. / 1 Main Street / Suite 200 / Springfield, IL 62701',
  ],
  [
    'US|John Smith||500 Market Street||San Francisco|California|94105-1234',
    'John Smith / 500 Market Street / San Francisco, CA 94105-1234',
  ],
  ['US|Grace Hopper||20 K Street NW||Washington|D.C.|20001', 'Grace Hopper / 20 K Street NW / Washington, DC 20001'],
  ['PR|Luis Rivera||10 Calle Sol||San Juan||00901', 'Luis Rivera / 10 Calle Sol / San Juan PR 00901'],
  [
    'CA|Marie Tremblay||55 Rue Saint-Paul||Montréal|Québec|H2Y 1G8',
    'Marie Tremblay / 55 Rue Saint-Paul / Montréal QC H2Y 1G8',
  ],
  [
    'CA|Liam Wilson|Wilson Inc.|100 King Street W|Unit 5|Toronto|ON|M5X 1A9',
    'Liam Wilson / Wilson Inc. / 100 King Street W / Unit 5 / Toronto ON M5X 1A9',
  ],
  [
    'MX|Sofía López||Av. Reforma 222|Col. Juárez|Ciudad de México|CDMX|06600',
    'Sofía López / Av. Reforma 222 / Col. Juárez / 06600 CIUDAD DE MÉXICO',
  ],
  [
    'MX|Juan Torres||Calle Hidalgo 5||Guadalajara|Jalisco|44100',
    'Juan Torres / Calle Hidalgo 5 / 44100 GUADALAJARA, JALISCO',
  ],
  [
    'BR|Ana Silva|Silva Ltda|Av. Paulista 1000|Bela Vista|São Paulo|São Paulo|01310-100',
    'Silva Ltda / Ana Silva / Av. Paulista 1000 / Bela Vista / SÃO PAULO-SP / 01310-100',
  ],
  [
    'BR|Pedro Souza||Rua das Flores 30||Curitiba|PR|80010-010',
    'Pedro Souza / Rua das Flores 30 / CURITIBA-PR / 80010-010',
  ],
  [
    'AR|Martín Díaz||Av. Corrientes 1234|Piso 3|Buenos Aires|C|C1043AAZ',
    'Martín Díaz / Av. Corrientes 1234 / Piso 3 / C1043AAZ Buenos Aires',
  ],
  [
    'CL|Camila Rojas||Av. Providencia 1500||Santiago|RM|7500000',
    'Camila Rojas / Av. Providencia 1500 / 7500000 Santiago',
  ],
  ['CO|Andrés Gómez||Carrera 7 # 71-21||Bogotá|Bogotá|110231', 'Andrés Gómez / Carrera 7 # 71-21 / Bogotá, 110231'],
  ['PE|Rosa Quispe||Jirón de la Unión 300||Lima|Lima|15001', 'Rosa Quispe / Jirón de la Unión 300 / Lima 15001'],
  [
    'UY|Diego Silva||18 de Julio 1000||Montevideo|Montevideo|11100',
    'Diego Silva / 18 de Julio 1000 / 11100 MONTEVIDEO',
  ],
  [
    'JP|山田 太郎|株式会社サンプル|天神1-2-3|サンプルビル4階|福岡市中央区|福岡県|810-0001',
    '〒810-0001 / 福岡県福岡市中央区天神1-2-3 / サンプルビル4階 / 株式会社サンプル / 山田 太郎',
  ],
  [
    'JP|Taro Yamada||1-2-3 Tenjin, Chuo-ku||Fukuoka-shi|Fukuoka|810-0001',
    'Taro Yamada / 1-2-3 Tenjin, Chuo-ku, Fukuoka-shi, Fukuoka / 810-0001',
  ],
  ['JP|佐藤 花子||丸の内1-1-1||千代田区|13|100-0005', '〒100-0005 / 東京都千代田区丸の内1-1-1 / 佐藤 花子'],
  ['CN|王伟||长安街1号||北京市|北京|100006', '100006 / 北京市 / 长安街1号 / 王伟'],
  [
    "CN|Wang Wei||1 Chang'an Street||Guangzhou|Guangdong|510030",
    "Wang Wei / 1 Chang'an Street / Guangzhou / Guangdong, 510030",
  ],
  ['TW|陳小明||忠孝東路一段1號||中正區|臺北市|100', '100 / 臺北市中正區 / 忠孝東路一段1號 / 陳小明'],
  [
    "HK|Chan Tai Man||1 Queen's Road Central||Central|Hong Kong Island|",
    "Chan Tai Man / 1 Queen's Road Central / Central / Hong Kong Island",
  ],
  ['HK|陳大文||皇后大道中1號||中環|香港島|', '香港島 / 中環 / 皇后大道中1號 / 陳大文'],
  ['MO|Lei Ka Wai||Avenida da Praia Grande 10||Macau||', 'Lei Ka Wai / Avenida da Praia Grande 10 / Macau'],
  ['KR|김민수||세종대로 110||중구|서울특별시|04524', '서울특별시 중구 / 세종대로 110 / 김민수 / 04524'],
  ['KR|Kim Minsu||110 Sejong-daero||Jung-gu|Seoul|04524', 'Kim Minsu / 110 Sejong-daero / Jung-gu / Seoul / 04524'],
  ['SG|Tan Wei Ling||10 Anson Road|#12-34||| 079903', 'Tan Wei Ling / 10 Anson Road / #12-34 / SINGAPORE 079903'],
  ['SG|Lim Ah Kow||5 Jurong Street||Singapore||609000', 'Lim Ah Kow / 5 Jurong Street / SINGAPORE 609000'],
  [
    'MY|Aminah Ali||12 Jalan Ampang||Kuala Lumpur|Kuala Lumpur|50450',
    'Aminah Ali / 12 Jalan Ampang / 50450 KUALA LUMPUR',
  ],
  [
    'TH|สมชาย ใจดี||99 ถนนสุขุมวิท|แขวงคลองเตย|เขตคลองเตย|กรุงเทพมหานคร|10110',
    'สมชาย ใจดี / 99 ถนนสุขุมวิท / แขวงคลองเตย / เขตคลองเตย / กรุงเทพมหานคร 10110',
  ],
  [
    'TH|Somchai Jaidee||99 Sukhumvit Road||Khlong Toei|Bangkok|10110',
    'Somchai Jaidee / 99 Sukhumvit Road / Khlong Toei / Bangkok 10110',
  ],
  [
    'VN|Nguyễn Văn An||12 Lê Lợi||Quận 1|Thành phố Hồ Chí Minh|700000',
    'Nguyễn Văn An / 12 Lê Lợi / Quận 1 / Thành phố Hồ Chí Minh 700000',
  ],
  ['PH|Maria Santos||15 Rizal Avenue||Cebu City|Cebu|6000', 'Maria Santos / 15 Rizal Avenue / Cebu City / 6000'],
  [
    'ID|Budi Santoso||Jl. Sudirman No. 1||Jakarta|Jakarta Raya|10220',
    'Budi Santoso / Jl. Sudirman No. 1 / Jakarta / 10220',
  ],
  [
    'IN|Priya Sharma||12 MG Road|Indiranagar|Bengaluru|Karnataka|560038',
    'Priya Sharma / 12 MG Road / Indiranagar / Bengaluru 560038 / Karnataka',
  ],
  [
    'AU|Olivia Brown||10 George Street|Level 3|Sydney|New South Wales|2000',
    'Olivia Brown / 10 George Street / Level 3 / SYDNEY NSW 2000',
  ],
  ['NZ|Jack Wilson||1 Queen Street||Auckland||1010', 'Jack Wilson / 1 Queen Street / Auckland 1010'],
  ['IL|דנה כהן||רחוב הרצל 10||תל אביב-יפו||6688312', 'דנה כהן / רחוב הרצל 10 / תל אביב-יפו 6688312'],
  ['AE|Omar Hassan||Sheikh Zayed Road 1|PO Box 123|Dubai||', 'Omar Hassan / Sheikh Zayed Road 1 / PO Box 123 / Dubai'],
  ['SA|محمد العتيبي||طريق الملك فهد 10||الرياض||12211', 'محمد العتيبي / طريق الملك فهد 10 / الرياض 12211'],
  ['EG|Mona Adel||5 Tahrir Street||Cairo|Cairo|11511', 'Mona Adel / 5 Tahrir Street / Cairo / 11511'],
  ['ZA|Thabo Nkosi||20 Long Street||Cape Town|Western Cape|8001', 'Thabo Nkosi / 20 Long Street / Cape Town / 8001'],
  ['KE|Wanjiru Kamau||Kenyatta Avenue 3||Nairobi||00100', 'Wanjiru Kamau / Kenyatta Avenue 3 / Nairobi / 00100'],
  ['NG|Chidi Okafor||14 Broad Street||Lagos|Lagos|101001', 'Chidi Okafor / 14 Broad Street / LAGOS 101001'],
  ['MA|Youssef Alami||10 Rue Mohammed V||Casablanca||20000', 'Youssef Alami / 10 Rue Mohammed V / 20000 Casablanca'],
  [
    'GH|Ama Mensah||7 Independence Avenue||Accra|Greater Accra|GA-183-8164',
    'Ama Mensah / 7 Independence Avenue / Accra GA-183-8164 / Greater Accra',
  ],
  ["AG|Keisha Joseph||Market Street 2||St. John's||", "Keisha Joseph / Market Street 2 / St. John's"],
  ['GI|John Bossano||7 Main Street||Gibraltar||GX11 1AA', 'John Bossano / 7 Main Street / GIBRALTAR / GX11 1AA'],
];
