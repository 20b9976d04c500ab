import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { TestProvider } from '../testing/provider.ts';
import { contribute, openBox } from './helpers.ts';

const box = await openBox(t);

async function offered() {
  const { body } = await box.visitor().get('/payment-methods');
  return body.items.map(({ provider, code }: { provider: string; code: string }) => `${provider} ${code}`);
}

t.test('staff list every method of every adapter and change their settings', async (t) => {
  contribute(t, box, new TestProvider('one', ['card', 'wallet']), new TestProvider('two', ['card', 'invoice']));
  t.strictSame(
    await offered(),
    ['one card', 'one wallet', 'two invoice'],
    'the first of two adapters serves a shared code',
  );
  const lists = await Promise.all([1, 2, 3].map(() => box.staff.get('/admin/payment-methods')));
  const { items } = lists[0]?.body ?? { items: [] };
  t.ok(
    lists.every(({ body }) => JSON.stringify(body) === JSON.stringify(lists[0]?.body)),
    'concurrent first reads return the same list',
  );
  t.match(
    items,
    exactly([
      { provider: 'one', code: 'card', available: true, enabled: true, position: 0, captureMode: 'automatic' },
      { provider: 'one', code: 'wallet', position: 1 },
      { provider: 'two', code: 'card', position: 2 },
      { provider: 'two', code: 'invoice', position: 3 },
    ]),
  );
  const [card, wallet] = items;
  t.match(await box.staff.patch(`/admin/payment-methods/${card.id}`, { enabled: false }), {
    status: 200,
    body: { id: card.id, enabled: false, available: true },
  });
  t.strictSame(
    await offered(),
    ['one wallet', 'two card', 'two invoice'],
    'when disabled, the other adapter serves the code',
  );
  await box.staff.patch(`/admin/payment-methods/${wallet.id}`, { position: 9, captureMode: 'manual' });
  t.strictSame(await offered(), ['two card', 'two invoice', 'one wallet']);
  t.match((await box.staff.get('/admin/payment-methods')).body.items.at(-1), {
    id: wallet.id,
    position: 9,
    captureMode: 'manual',
  });
});

t.test('a method without its adapter is listed as unavailable and not offered', async (t) => {
  const { items } = (await box.staff.get('/admin/payment-methods')).body;
  t.ok(items.length > 0 && items.every(({ available }: { available: boolean }) => !available));
  t.strictSame(await offered(), []);
});

t.test('invalid changes are refused', async (t) => {
  contribute(t, box, new TestProvider());
  const [own] = (await box.staff.get('/admin/payment-methods')).body.items;
  const path = `/admin/payment-methods/${own.id}`;
  const cases: [string, Promise<object>, object][] = [
    ['nothing', box.staff.patch(path, {}), { status: 400 }],
    ['a position below zero', box.staff.patch(path, { position: -1 }), { status: 400 }],
    ['an unknown mode', box.staff.patch(path, { captureMode: 'never' }), { status: 400 }],
    ['the provider', box.staff.patch(path, { provider: 'x' }), { status: 400 }],
  ];
  for (const [what, response, expected] of cases) t.match(await response, expected, what);
});
