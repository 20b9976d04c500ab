/**
 * Handles are derived from titles in any script.
 */
import t from 'tap';
import { handleFromTitle } from '../handles.ts';

const handleOf = (title: string) => handleFromTitle(title, 'product');

t.test('letters are written in Latin ones', async (t) => {
  const handles = {
    Straße: 'strasse',
    STRAẞE: 'strasse',
    Łódź: 'lodz',
    'Ærø, Đà Nẵng & Þór': 'aero-da-nang-thor',
    'Çığ İzmir': 'cig-izmir',
    'Œuvre d’art': 'oeuvre-d-art',
    日本語の商品: 'ri-ben-yu-no-shang-pin',
    ガラス: 'garasu',
    アップル: 'appuru',
    キーボード: 'kibodo',
    'マッチャ・しょうゆ': 'matcha-shouyu',
    'ファイル ティー ウィーン': 'fairu-ti-win',
    ﾁｬｯﾄ: 'chatto',
    かっ: 'ka',
    けんいっぱい: 'kenippai',
    한국어: 'hangugeo',
    'Привет, мир': 'privet-mir',
    'Ελληνικά 2': 'ellinika-2',
    منتج: 'mntj',
    '٣ منتجات': '3-mntjt',
    שלום: 'slvm',
    หนังสือ: 'hnangsueo',
    हिन्दी: 'hindi',
    'Ｔ－Ⅳ ①': 't-iv-1',
    'Crème brûlée': 'creme-brulee',
    "O'Neill's 50% off!": 'o-neill-s-50-off',
    'a_b/c.d': 'a-b-c-d',
  };
  t.strictSame(Object.fromEntries(Object.keys(handles).map((title) => [title, handleOf(title)])), handles);
});

t.test('in German, umlauts are written with an e', async (t) => {
  const handles = { 'Größe Übung': 'groesse-uebung', Äpfel: 'aepfel', 'Crème brûlée': 'creme-brulee' };
  for (const [title, handle] of Object.entries(handles)) {
    for (const locale of ['de', 'de-AT', 'DE'])
      t.equal(handleFromTitle(title, '', locale), handle, `${locale} ${title}`);
  }
  for (const locale of ['', 'sv', 'den']) t.equal(handleFromTitle('Größe', '', locale), 'grosse', locale);
});

t.test('composed and decomposed titles have one handle', async (t) => {
  for (const title of ['Łódź', 'Đà Nẵng', 'ガラス', '한국어', 'ёлка']) {
    t.equal(handleOf(title.normalize('NFD')), handleOf(title.normalize('NFC')), title);
  }
});

t.test('a title without letters and digits has the fallback, and no handle is too long', async (t) => {
  for (const title of ['🌞', '!?', ' ', '\u0301', '--']) t.equal(handleOf(title), 'product', title);
  const long = handleOf('商'.repeat(200));
  t.match(long, /^[a-z0-9]+(-[a-z0-9]+)*$/);
  t.ok(long.length <= 100);
});
