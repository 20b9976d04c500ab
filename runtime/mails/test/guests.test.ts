/**
 * What guests have entered, in mails: names are shown if they look like names, and no line becomes a link.
 */
import { plausibleName, withoutLinks } from '@carton/runtime';
import t from 'tap';

t.test('names of people are shown', async (t) => {
  for (const name of [
    'Ada Lovelace',
    "Conan O'Brien",
    'J. R. R. Tolkien',
    'J.R.R. Tolkien',
    'Jean-Luc Picard (office)',
    'María de los Ángeles García López',
    'Nguyễn Thị Minh Khai',
    '山田 太郎',
    'محمد علی',
    'Louis XIV, 3rd',
    'Müller & Söhne',
    'Paŀlàs i Gal·la',
  ])
    t.equal(plausibleName(name), name);
  t.equal(plausibleName(null), null);
});

t.test('messages, addresses and markup are not', async (t) => {
  for (const name of [
    'https://evil.example',
    'Visit evil.example',
    'evil.example/win',
    'EVIL.EXAMPLE',
    'x.co',
    'www evil example',
    'ada@evil.example',
    'evil．example',
    'evil。example',
    'evil․example',
    'пример.рф',
    'उदाहरण.भारत',
    '<b>Ada</b>',
    '[Ada](evil)',
    '{{ token }}',
    'Call 0800 123456',
    'Ada\nBcc: all',
    'Ada\u202eelpmaxe.live',
    'win '.repeat(11).trim(),
    'w'.repeat(81),
    '...',
    '',
  ])
    t.equal(plausibleName(name), null, name);
});

t.test('lines of addresses lose what makes a link', async (t) => {
  const cases: [line: string, shown: string][] = [
    ['12 Rue des Lilas', '12 Rue des Lilas'],
    ['Hauptstr.5, 2. OG', 'Hauptstr.5, 2. OG'],
    ['9000 St.Gallen', '9000 St. Gallen'],
    ['https://evil.example/a', 'https evil. example/a'],
    ['http : //evil.example', 'http evil. example'],
    ['www.evil.example', 'www. evil. example'],
    ['evil．example', 'evil. example'],
    ['ada@evil.example', 'ada evil. example'],
    ['<a href=x>', 'a href=x'],
  ];
  for (const [line, shown] of cases) t.equal(withoutLinks(line), shown);
});
