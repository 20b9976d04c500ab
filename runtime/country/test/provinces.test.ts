/**
 * Provinces are recognised by their codes and names, and known with what contains them.
 */
import t from 'tap';
import { otherNamesOf, otherwiseNamed } from '../other-provinces.ts';
import {
  isProvince,
  isUndecided,
  levelOf,
  provinceKey,
  provinceLine,
  provincesOf,
  storedProvinces,
} from '../provinces.ts';

t.test('codes and names in the language of the country, in English and in other forms are recognised', async (t) => {
  const cases: [country: string, line: string, ...texts: string[]][] = [
    ['JP', '40', '40', 'jp-40', 'Fukuoka', 'FUKUOKA', '福岡県', '福岡', 'Fukuoka Prefecture', 'Fukuoka-ken', 'Hukuoka'],
    ['JP', '13', 'Tokyo', '東京都', '東京', 'Tōkyō'],
    ['JP', '01', '1', '01', '北海道', 'Hokkaido', 'Hokkaidō'],
    ['DE', 'BY', 'by', 'DE-BY', 'Bavaria', 'Bayern', 'Freistaat Bayern', 'State of Bavaria'],
    ['DE', 'TH', 'Thüringen', 'Thueringen', 'Thuringen', 'Thuringia'],
    ['DE', 'NW', 'NRW', 'North Rhine-Westphalia', 'Nordrhein Westfalen'],
    ['ES', 'CN', 'CN', 'Canarias', 'Islas Canarias', 'Canary Islands', 'illes Canàries'],
    ['ES', 'GC CN', 'GC', 'es-gc', 'Las Palmas', 'LAS PALMAS', 'Provincia de Las Palmas', 'Gran Canaria'],
    ['ES', 'TF CN', 'TF', 'Santa Cruz de Tenerife', 'Tenerife'],
    ['ES', 'M MD', 'M', 'Madrid'],
    // The community of a single province is that province.
    ['ES', 'M MD', 'MD', 'Comunidad de Madrid', 'Madrid, Comunidad de'],
    ['ES', 'PM IB', 'IB', 'Islas Baleares', 'Balearic Islands', 'PM'],
    ['ES', 'O AS', 'Asturias', 'Principado de Asturias'],
    ['ES', 'BI PV', 'Bizkaia', 'Vizcaya'],
    ['GB', 'NIR', 'Northern Ireland', 'Antrim', 'County Down', 'Co. Tyrone'],
    ['GB', 'BFS NIR', 'Belfast', 'BFS'],
    ['GB', 'KEN ENG', 'Kent', 'County of Kent'],
    ['GB', 'ENG', 'England', 'Middlesex', 'Greater Manchester'],
    ['GB', 'GLG SCT', 'Glasgow'],
    ['FR', '69 ARA', '69', 'Rhône', 'Rhone'],
    ['FR', '2A 20R', '2A', 'Corse-du-Sud'],
    ['FR', '20R', 'Corse', 'Corsica'],
    ['FR', '974', 'La Réunion', 'Réunion', '974'],
    ['IT', 'MI 25', 'MI', 'Milano', 'Milan'],
    ['IT', 'BZ 32', 'Bolzano', 'Bozen', 'Südtirol', 'South Tyrol'],
    ['IT', '25', 'Lombardia', 'Lombardy'],
    ['BE', 'VAN VLG', 'Antwerpen', 'Antwerp', 'Anvers'],
    ['BE', 'BRU', 'Bruxelles', 'Brussel', 'Brussels'],
    ['PH', 'CEB 07', 'Cebu'],
    ['PH', '00', 'NCR', 'Metro Manila'],
    ['US', 'CA', 'California', 'CALIFORNIA'],
    ['US', 'DC', 'D.C.', 'Washington DC', 'District of Columbia'],
    ['US', 'WA', 'Washington', 'Washington State'],
    ['US', 'HI', 'Hawaii', 'Hawaiʻi', "Hawai'i"],
    ['CA', 'QC', 'qc', 'Québec', 'Quebec', 'Province de Québec'],
    ['CN', 'GD', '广东省', '广东', 'Guangdong', 'guangdong sheng'],
    ['CN', 'BJ', '北京', '北京市', 'Beijing', '11'],
    ['KR', '11', '서울특별시', '서울', 'Seoul'],
    ['TW', 'TPE', '臺北市', '台北市', 'Taipei'],
    ['IE', 'CO M', 'Cork', 'Co. Cork', 'County Cork'],
    ['MX', 'CMX', 'CDMX', 'Ciudad de México'],
    ['GR', 'I', 'Αττική', 'Attica'],
    ['RU', 'MOW', 'Москва', 'Moscow'],
    ['UA', '30', 'Київ', 'Kyiv', 'Kiev'],
    ['AT', '9', 'Wien', 'Vienna'],
    ['TR', '34', 'İstanbul', 'Istanbul', 'ISTANBUL'],
    ['NL', 'FR', 'Friesland', 'Fryslân'],
    ['IN', 'OD', 'Odisha', 'Orissa', 'OR'],
    ['AE', 'DU', 'Dubai', 'دبي'],
    ['FI', '01', 'Åland', 'Ahvenanmaa'],
    ['MX', 'MEX', 'México', 'Estado de México', 'State of Mexico', 'Edomex'],
    ['MX', 'CMX', 'Mexico City', 'MEXICO CITY', 'D.F.'],
    ['AR', 'C', 'CABA', 'C.A.B.A.', 'Capital Federal', 'Ciudad de Buenos Aires'],
    ['AR', 'B', 'Buenos Aires', 'Provincia de Buenos Aires'],
    ['RU', 'MOS', 'Moscow Region', 'Moscow Oblast', 'Московская область'],
    ['RU', 'KDA', 'Krasnodar'],
    ['UA', '32', 'Kyiv Oblast', 'Kiev Region', 'Київська область'],
    ['UA', '63', 'Kharkiv', 'Kharkiv Oblast', 'Харківська область'],
    ['TW', 'NWT', 'New Taipei', 'Taipei County'],
    ['TW', 'TPE', 'Taipei City'],
    ['TW', 'CYQ', 'Chiayi County'],
    ['BG', '22', 'Sofia', 'Sofia City', 'София'],
    ['BG', '23', 'Sofia Province', 'Софийска област'],
    ['US', 'AE', 'AE', 'us-ae', 'Armed Forces Europe'],
    ['US', 'AP', 'AP'],
    ['US', 'AA', 'AA'],
    ['US', 'FM', 'FM', 'Federated States of Micronesia'],
    ['US', 'MH', 'MH', 'Marshall Islands'],
    ['US', 'PW', 'PW', 'Palau'],
    ['US', 'VI', 'U.S. Virgin Islands', 'US Virgin Islands', 'VI'],
    ['US', 'CA', 'Calif.'],
    ['CA', 'NL', 'Newfoundland & Labrador', 'NF'],
    ['GB', 'ENG', 'Tyne & Wear', 'Northamptonshire'],
    ['GB', 'HAM ENG', 'Hants'],
    ['GB', 'AGB SCT', 'Argyll'],
    ['GB', 'SCT', 'Invernessshire', 'Inverness-shire'],
    ['IN', 'JK', 'Jammu & Kashmir'],
    ['IN', 'TN', 'Tamilnadu'],
    ['IT', 'AO 23', 'AO', 'Aosta', "Valle d'Aosta", 'Aosta Valley'],
    ['IT', 'SS 88', 'OT', 'Olbia-Tempio'],
    ['CL', 'RM', 'Región Metropolitana', 'XIII', 'Metropolitana de Santiago'],
    ['CO', 'DC', 'Bogotá, D.C.', 'Bogotá DC', 'Bogotá'],
    ['FR', '75C IDF', '75', 'Paris'],
    ['FR', 'PAC', 'PACA', 'Provence'],
    ['NO', '32 30', 'Akershus', '32', '02'],
    ['NO', '55 54', 'Troms'],
    ['NO', '56 54', 'Finnmark'],
    ['NO', '46', 'Hordaland'],
    ['CZ', '10', 'Prague', 'Praha'],
    ['ES', 'M MD', '28'],
    ['ES', 'GC CN', '35'],
    ['PL', '24', 'Śląsk', 'Silesian'],
    ['TH', '50', 'เชียงใหม่', 'Chiang Mai', 'Chiangmai'],
    ['PT', '30', 'Madeira', 'Região Autónoma da Madeira'],
    // Towns whose names are those of their own province.
    ['US', 'NY', 'New York City', 'NYC', 'New York State'],
    ['CA', 'QC', 'Quebec City', 'Ville de Québec'],
    ['JP', '13', 'Tokyo-to', 'Tokyo City'],
    ['KR', '11', 'Seoul City', '서울시', 'Seoul-si'],
    ['ES', 'CE', 'Ciudad Autónoma de Ceuta', 'Ciudad de Ceuta'],
    ['RU', 'MOW', 'город Москва', 'Moscow City'],
    ['VN', 'HN', 'Thành phố Hà Nội', 'Hanoi City'],
    ['CN', 'BJ', 'Beijing Shi', 'Beijing City'],
    ['IE', 'D L', 'County Dublin', 'Co. Dublin'],
    // As they are copied from other systems.
    [
      'US',
      'CA',
      'ＣＡ',
      '\u200eCA',
      '\u200bCA\u200b',
      'CA\u00ad',
      'Ｃａｌｉｆｏｒｎｉａ',
      'California, USA',
      'CA - California',
    ],
    [
      'US',
      'CA',
      'California (CA)',
      'CA – California',
      'CA-California',
      'California/CA',
      'CA, US',
      'US-CA (California)',
    ],
    ['US', 'NY', 'New York, NY', 'New York, United States'],
    ['US', 'DC', 'Washington, D.C.'],
    ['CA', 'QC', 'Québec (QC)', 'QC - Québec', 'Québec, Canada', 'QC\u2060'],
    // The country has the name of another of its provinces.
    ['MX', 'PUE', 'Puebla, México'],
    ['MX', 'CMX', 'Ciudad de México, México'],
    ['DE', 'NW', 'NW-Nordrhein-Westfalen', 'Nordrhein-Westfalen (NW)'],
    ['JP', '13', '東京都 (Tokyo)', '13 - Tokyo'],
  ];
  for (const [country, line, ...texts] of cases) {
    for (const text of texts) {
      t.ok(isProvince(country, text), `${country} ${text}`);
      t.equal(provinceLine(country, text).join(' '), line, `${country} ${text}`);
    }
  }
});

t.test('other texts are compared as they are written', async (t) => {
  const cases: [country: string, text: string, key: string][] = [
    ['US', ' Atlantis', 'ATLANTIS'],
    ['DE', 'District 9', 'DISTRICT 9'],
    ['FR', 'CA-QC', 'CA-QC'],
    ['SG', 'Central', 'CENTRAL'],
    ['US', 'State', 'STATE'],
    ['JP', '県', '県'],
    ['US', '__proto__', '__PROTO__'],
    ['US', 'constructor', 'CONSTRUCTOR'],
    // Towns and counties, most of them in another state than that whose name they have.
    ['US', 'Kansas City', 'KANSAS CITY'],
    ['US', 'Ciudad de Kansas', 'CIUDAD DE KANSAS'],
    ['US', 'Michigan City', 'MICHIGAN CITY'],
    ['US', 'Nevada City', 'NEVADA CITY'],
    ['US', 'Delaware County', 'DELAWARE COUNTY'],
    ['US', 'Washington Co.', 'WASHINGTON CO.'],
    ['US', 'Kansas City (KS)', 'KANSAS CITY (KS)'],
    ['US', 'Kansas City - MO', 'KANSAS CITY - MO'],
    ['US', 'Municipality of Texas', 'MUNICIPALITY OF TEXAS'],
    ['MX', 'Ciudad Hidalgo', 'CIUDAD HIDALGO'],
    ['CO', 'Ciudad Bolívar', 'CIUDAD BOLÍVAR'],
    ['CN', '吉林市', '吉林市'],
    // Parts that do not agree.
    ['US', 'California (NV)', 'CALIFORNIA (NV)'],
    ['US', 'California, Canada', 'CALIFORNIA, CANADA'],
    ['US', 'CA - ', 'CA -'],
    ['US', ', '.repeat(500), `${', '.repeat(499)},`],
  ];
  // Without the word that says which of two it is, a name is that of both.
  const shared: [country: string, text: string, keys: string[]][] = [
    ['AR', 'Buenos Aires Region', ['B', 'C']],
    ['MX', 'Region of Mexico', ['MEX', 'CMX']],
    ['CH', 'Basel', ['BS', 'BL']],
    ['TW', 'Hsinchu', ['HSZ', 'HSQ']],
  ];
  for (const [country, text, keys] of shared) {
    t.strictSame(provinceLine(country, text), [text.toUpperCase()], `${country} ${text}`);
    for (const key of keys) t.ok(isUndecided(country, text, key), `${country} ${text}, ${key}`);
  }
  for (const [country, text, key] of cases) {
    t.notOk(isProvince(country, text), `${country} ${text}`);
    t.strictSame(provinceLine(country, text), [key], `${country} ${text}`);
  }
});

t.test('every province of every country is recognised by its code and its name', async (t) => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const all = letters.flatMap((one) => letters.flatMap((two) => [...provincesOf(one + two)]));
  t.ok(all.length > 5000);
  const lost = all.filter(({ code, name, parent }) => {
    const country = code.slice(0, 2);
    const key = provinceKey(country, code);
    const line = provinceLine(country, code);
    const above = line[line.indexOf(key) + 1];
    return `${country}-${key}` !== code || (above ?? null) !== (parent?.slice(3) ?? null) || !isProvince(country, name);
  });
  t.strictSame(lost, []);
});

t.test('every other name is that of a province, and no code of another', async (t) => {
  for (const code of otherwiseNamed) {
    const [country, key] = [code.slice(0, 2), code.slice(3)];
    t.equal(provincesOf(country).filter((province) => province.code === code).length, 1, code);
    for (const name of otherNamesOf(country, key)) {
      t.ok(provinceKey(country, name) === key || isUndecided(country, name, key), `${code} ${name}`);
    }
  }
});

t.test('what earlier releases have stored is found', async (t) => {
  t.ok(storedProvinces('ES', 'GC').includes('CANARIAS'));
  t.strictSame(storedProvinces('DE', ' District 9'), ['DISTRICT 9']);
  t.ok(storedProvinces('DE', 'by').includes('BAVARIA'));
  t.ok(storedProvinces('JP', 'Fukuoka').includes('福岡県'));
  t.equal(levelOf('ES', provinceLine('ES', 'GC'), 'CANARIAS'), 1);
  t.equal(levelOf('ES', provinceLine('ES', 'GC'), 'TF'), -1);
});

t.test('what contains a province, or is the name of several, does not decide which it is', async (t) => {
  const cases: [country: string, province: string, stored: string, isUndecided: boolean][] = [
    ['ES', 'Canarias', 'GC', true],
    ['ES', 'CN', 'LAS PALMAS', true],
    ['ES', 'Canarias', 'CN', false],
    ['ES', 'Canarias', 'M', false],
    ['ES', 'GC', 'CN', false],
    ['ES', 'Islas Baleares', 'PM', false],
    ['ES', 'PM', 'IB', false],
    ['GB', 'England', 'KEN', true],
    ['GB', 'Scotland', 'KEN', false],
    ['TW', 'Hsinchu', 'HSZ', true],
    ['TW', 'Hsinchu', 'HSQ', true],
    ['TW', 'Hsinchu', 'TPE', false],
    ['US', 'Atlantis', 'CA', false],
  ];
  for (const [country, province, stored, expected] of cases) {
    t.equal(isUndecided(country, province, stored), expected, `${country} ${province}, ${stored}`);
    if (expected) t.ok(storedProvinces(country, province).includes(stored), `${stored} is read for ${province}`);
  }
});
