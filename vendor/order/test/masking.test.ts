import { isPlacedBy, maskOrder, OrderResource } from '@carton/order';
import { newId } from '@carton/runtime';
import t from 'tap';
import { openBox, place } from '../testing/index.ts';

const box = await openBox(t);

t.test('a masked order shows what was bought but not by whom', async (t) => {
  const personal = {
    email: 'ada@lovelace.example',
    name: 'Ada Lovelace',
    phone: '+33 1 23 45 67 89',
    address: '1 Main Street, 75001 Paris',
    billing: { line1: 'Côté cour', city: 'Lyon', line2: null },
    taxNumber: 'FR40303265045',
  };
  const order = await place(box, {
    memberId: newId(),
    customer: personal,
    notes: 'For my mother, Anne',
    metadata: { doctor: 'Dr. Babbage' },
    attribution: { landingPage: 'https://shop.example/?for=Babbage' },
  });
  const masked = maskOrder(order);
  t.strictSame(masked.customer, {
    email: 'a***@l***.example',
    name: 'A*** L***',
    phone: '***',
    address: '***',
    billing: '***',
    taxNumber: '***',
  });
  t.equal(masked.attribution, null);
  t.strictSame(masked.items, order.items);
  t.strictSame(masked.totals, order.totals);
  t.notMatch(
    JSON.stringify(masked),
    /ada@|Lovelace|33 1|Main|cour|Lyon|line1|Anne|Babbage|aaaa|303265/,
    'no personal data',
  );
  t.strictSame(Object.keys(masked).sort(), Object.keys(order).sort(), 'the same fields');
  t.ok(Object.keys(OrderResource.properties).every((name) => name in masked));
});

t.test('missing values stay null, and unusual values are masked completely', async (t) => {
  const order = await place(box);
  t.strictSame(maskOrder(order).customer, {
    email: 'a***@e***.com',
    name: null,
    phone: null,
    address: null,
    billing: null,
    taxNumber: null,
  });
  t.equal(maskOrder(order).notes, null);
  const cases: [string, string][] = [
    ['a@b', 'a***@b***'],
    ['"odd@quote"@mail.shop.example', '"***@m***.example'],
    ['élan@exämple.fr', 'é***@e***.fr'],
    ['😀@x.example', '😀***@x***.example'],
    ['no-address', '***'],
    ['@nobody.example', '***'],
  ];
  for (const [email, expected] of cases) {
    t.equal(maskOrder({ ...order, customer: { ...order.customer, email } }).customer.email, expected, email);
  }
  t.equal(maskOrder({ ...order, customer: { ...order.customer, name: ' ' } }).customer.name, '***');
});

t.test('isPlacedBy compares the member or, without one, the session', async (t) => {
  const member = newId();
  const cases: [string, { memberId: string | null; sessionHash: string | null }, unknown, boolean][] = [
    ['the session', { memberId: null, sessionHash: 's1' }, { hash: 's1', memberId: null }, true],
    ['the session, now signed in', { memberId: null, sessionHash: 's1' }, { hash: 's1', memberId: member }, true],
    ['another session', { memberId: null, sessionHash: 's1' }, { hash: 's2', memberId: null }, false],
    ['no session', { memberId: null, sessionHash: 's1' }, { hash: null, memberId: null }, false],
    ['no session, order by staff', { memberId: null, sessionHash: null }, { hash: null, memberId: null }, false],
    ['the member in another session', { memberId: member, sessionHash: 's1' }, { hash: 's2', memberId: member }, true],
    ['the session, now signed out', { memberId: member, sessionHash: 's1' }, { hash: 's1', memberId: null }, false],
    ['another member', { memberId: member, sessionHash: 's1' }, { hash: 's1', memberId: newId() }, false],
  ];
  for (const [name, order, session, expected] of cases) t.equal(isPlacedBy(order, session as never), expected, name);
});
