/**
 * Handles are derived from titles in any script.
 */
import t from 'tap';
import { requestSchema } from '../../http/input-forms.ts';
import type { Problem } from '../../http/problems.ts';
import { object } from '../../http/schemas.ts';
import { validate } from '../../http/validation.ts';
import { Handle, handleFromTitle } from '../handles.ts';

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

t.test('a handle that is refused is proposed in its form', async (t) => {
  const Body = requestSchema(object({ handle: Handle }));
  const detailOf = (handle: string) => {
    try {
      validate(Body, { handle }, 'body');
    } catch (error) {
      return (error as Problem).errors?.map(({ detail }) => detail);
    }
  };
  const detail = (proposed: string) => [
    `must be a handle: small letters from a to z, digits and single hyphens, such as \`${proposed}\`, without the format of an id`,
  ];
  t.strictSame(detailOf('My Handle'), detail('my-handle'));
  t.strictSame(detailOf('a__b'), detail('a-b'));
  t.strictSame(detailOf('Größe 1'), undefined, 'a handle in another script is taken as a title');
  t.strictSame(detailOf('--'), detail('blue-shirt'));
  t.strictSame(detailOf('0198F5A2-7c1e-7b5a-9f51-3f6a52a1c001'), detail('blue-shirt'));
});
