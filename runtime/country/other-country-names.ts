/**
 * Names of countries in common use that neither ISO 3166-1 nor the lists of languages (CLDR) have: former names, parts of
 * the United Kingdom, official names, and abbreviations.
 */

/** By code (ISO 3166-1 alpha-2). */
export const otherCountryNames: Readonly<Record<string, readonly string[]>> = {
  AE: ['UAE', 'ОАЭ', 'EAU', 'VAE'],
  AT: ['Republik Österreich', 'Republic of Austria'],
  CD: ['DRC', 'DR Congo', 'RDC', 'Democratic Republic of the Congo', 'République démocratique du Congo'],
  CH: ['Schweizerische Eidgenossenschaft', 'Confédération suisse', 'Confederazione Svizzera', 'Swiss Confederation'],
  CI: ['Ivory Coast'],
  CN: ["People's Republic of China", 'PRC', 'КНР', '中华人民共和国', '中華人民共和国', '中華人民共和國', 'VR China'],
  CV: ['Cape Verde'],
  CZ: ['Czech Republic', 'Česká republika', 'Tschechische Republik', 'République tchèque', 'República Checa'],
  DE: ['Federal Republic of Germany', 'Bundesrepublik Deutschland', 'BRD', 'ФРГ'],
  DK: ['Kongeriget Danmark'],
  ES: ['Reino de España', 'Kingdom of Spain'],
  FR: ['French Republic', 'République française'],
  GB: [
    ...['Great Britain', 'England', 'Scotland', 'Wales', 'Northern Ireland'],
    ...['Großbritannien', 'England und Wales', 'Schottland', 'Nordirland'],
    ...['Grande-Bretagne', 'Angleterre', 'Écosse', 'Pays de Galles', 'Irlande du Nord'],
    ...['Gran Bretaña', 'Inglaterra', 'Escocia', 'Gales', 'Irlanda del Norte'],
    ...['Gran Bretagna', 'Inghilterra', 'Scozia', 'Galles', 'Irlanda del Nord'],
    ...['Grã-Bretanha', 'Escócia', 'Groot-Brittannië', 'Engeland', 'Schotland', 'Noord-Ierland'],
    ...['Wielka Brytania', 'Velká Británie', 'Veľká Británia', 'Nagy-Britannia', 'Marea Britanie', 'Storbritannia'],
    ...['Англия', 'Шотландия', 'Μεγάλη Βρετανία', 'イングランド', '英國', '大不列颠', '大不列顛'],
  ],
  // The first is the one of numbers of VAT.
  GR: ['EL', 'Hellas', 'Ελλάς', 'Hellenic Republic', 'Ελληνική Δημοκρατία'],
  HK: ['Hongkong', 'HKSAR'],
  IE: ['Republic of Ireland', 'Éire'],
  KP: ['DPRK'],
  KR: ['한국', 'ROK', '南韓', '南韩'],
  MK: ['Macedonia', 'FYROM'],
  MM: ['Burma'],
  MO: ['Macau', 'Macao', '澳门', '澳門'],
  NL: ['Holland', 'Holanda', 'Hollande', 'Olanda', 'Голландия'],
  PL: ['Rzeczpospolita Polska', 'Republic of Poland'],
  RU: ['РФ', 'Российская Федерация'],
  SA: ['KSA'],
  SK: ['Slovak Republic', 'Slovenská republika', 'Slowakische Republik'],
  SZ: ['Swaziland'],
  TH: ['ประเทศไทย', 'ราชอาณาจักรไทย'],
  TL: ['East Timor'],
  TR: ['Turkey', 'Türkiye Cumhuriyeti'],
  TW: ['中華民國'],
  US: [
    ...['United States of America', 'Vereinigte Staaten von Amerika', "États-Unis d'Amérique"],
    ...[
      'Estados Unidos de América',
      'Estados Unidos da América',
      "Stati Uniti d'America",
      'Verenigde Staten van Amerika',
    ],
    ...['Соединенные Штаты Америки', 'Ηνωμένες Πολιτείες Αμερικής', 'ΗΠΑ', 'США', 'EE. UU.', 'EUA', 'アメリカ'],
  ],
};

/** Names in languages that are recognised, which another language gives to another country: Nigeria and Niger. */
export const ambiguousNames: readonly string[] = ['Nigeri', 'Tóga', 'لتونی'];
