/**
 * Names of provinces in common use that neither the standard nor the CLDR has: abbreviations, islands that have a name of
 * their own, former names, and counties that are not provinces of the standard, each as a name of what contains it.
 */

type Names = Readonly<Record<string, string>>;

/** By country and key of the province, separated by commas. */
const otherNames: Readonly<Record<string, Names>> = {
  BE: { BRU: 'Bruxelles, Brussel', VLG: 'Vlaanderen, Flandre, Flandern', WAL: 'Wallonia, Wallonie, Wallonien' },
  CA: {
    NL: 'Newfoundland, Labrador, Nfld',
    ON: 'Ont',
    PE: 'PEI, P.E.I.',
    QC: 'Que, P.Q.',
    BC: 'B.C.',
    YT: 'Yukon Territories',
  },
  DE: { NW: 'NRW', MV: 'Mecklenburg-Western Pomerania' },
  ES: {
    C: 'La Coruña',
    GC: 'Gran Canaria, Lanzarote, Fuerteventura',
    PM: 'Mallorca, Majorca, Menorca, Ibiza, Eivissa, Formentera',
    TF: 'Tenerife, La Palma, La Gomera, El Hierro',
  },
  FI: { '01': 'Åland, Ahvenanmaa, Åland Islands, Landskapet Åland' },
  FR: { '20R': 'Corsica', 974: 'Réunion, Reunion Island' },
  GB: {
    ENG: `Avon, Bedfordshire, Berkshire, Cheshire, Cleveland, Cornwall, Cumberland, Greater London, Greater Manchester,
      Herefordshire, Huntingdonshire, Humberside, Isle of Wight, Merseyside, Middlesex, North Yorkshire, Rutland,
      Shropshire, South Yorkshire, Sussex, Tyne and Wear, West Midlands, West Yorkshire, Westmorland, Yorkshire`,
    NIR: `Antrim, Armagh, Down, Fermanagh, Londonderry, Derry, Tyrone, N. Ireland, Ulster`,
    SCT: `Ayrshire, Banffshire, Berwickshire, Caithness, Dumfriesshire, Dunbartonshire, Inverness-shire, Lanarkshire,
      Lothian, Morayshire, Nairnshire, Peeblesshire, Perthshire, Ross-shire, Roxburghshire, Shetland, Orkney,
      Stirlingshire, Strathclyde, Sutherland, Tayside, Western Isles`,
    WLS: `Anglesey, Breconshire, Carnarvonshire, Clwyd, Dyfed, Glamorgan, Gwent, Merionethshire, Mid Glamorgan,
      Montgomeryshire, Radnorshire, South Glamorgan, West Glamorgan`,
  },
  IN: { CG: 'CT, Chattisgarh', DL: 'New Delhi', OD: 'OR, Orissa', TS: 'TG', UK: 'UT, Uttaranchal', PY: 'Pondicherry' },
  IT: { BZ: 'Südtirol, Sudtirolo, Alto Adige', AO: 'Aosta' },
  MX: { CMX: 'CDMX, DF, D.F., Distrito Federal', MEX: 'Edomex' },
  PH: { '00': 'NCR, Metro Manila, Manila' },
  PL: { 14: 'Masovia' },
  UA: { 30: 'Kiev' },
  US: { DC: 'Washington DC, Washington D.C.', HI: "Hawai'i", VI: 'USVI' },
};

/** The other names of a province. @param key its code without the country */
export function otherNamesOf(country: string, key: string): string[] {
  return (otherNames[country]?.[key] ?? '').split(',').flatMap((name) => name.trim() || []);
}
