/**
 * What every tax provider must keep, tested with its service or a simulator of it.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { TaxAnswer, TaxPart, TaxProvider, TaxQuestion } from '@carton/tax';
import type { Test } from 'tap';

export interface ProviderUnderTest {
  provider: TaxProvider;
  /** Of a tenant who has an account with the provider. */
  db: TenantDatabase;
  /** An address where goods and shipping are taxed. */
  address: TaxQuestion['address'];
}

const sum = (parts: readonly TaxPart[]) => parts.reduce((all, { amount }) => all + amount, 0);

/** Tests a provider with sales in EUR. */
export function testTaxProvider(t: Test, { provider, db, address }: ProviderUnderTest): void {
  const line = (amount: number, quantity = 1) => ({ amount, quantity, code: null });
  const sale = { currency: 'EUR', included: false, address, lines: [line(1999, 2), line(500)], shipping: null };

  async function ask(question: TaxQuestion): Promise<TaxAnswer> {
    const account = await provider.connect(db);
    if (!account) throw new Error('the tenant has no account with the provider');
    return account.calculate(question, AbortSignal.timeout(10_000));
  }

  t.test('it has a name for settings, and an account', async (t) => {
    t.match(provider.name, /^[a-z0-9-]{1,60}$/);
    t.ok((await provider.connect(db))?.id);
  });

  t.test('each line has its taxes, and shipping if it costs something', async (t) => {
    const { id, lines, shipping } = await ask(sale);
    t.ok(id);
    t.equal(lines.length, 2);
    for (const [at, parts] of lines.entries()) {
      const { amount } = sale.lines[at] as { amount: number };
      t.ok(parts.every((part) => Number.isSafeInteger(part.amount) && part.amount >= 0 && part.code && part.label));
      t.ok(sum(parts) > 0 && sum(parts) <= amount, `line ${at}`);
    }
    t.strictSame(shipping, []);
    const shipped = await ask({ ...sale, shipping: { amount: 490, code: null, included: false } });
    t.strictSame(shipped.lines.map(sum), lines.map(sum));
    t.ok(sum(shipped.shipping) > 0);
  });

  t.test('prices that contain their taxes have less of them than they would have on top', async (t) => {
    const [onTop, within] = [await ask(sale), await ask({ ...sale, included: true })];
    t.equal(within.lines.length, 2);
    for (const at of [0, 1]) t.ok(sum(within.lines[at] ?? []) < sum(onTop.lines[at] ?? []));
  });

  t.test('shipping contains its taxes, or has them on top, whatever the lines do', async (t) => {
    const shipping = (included: boolean) => ({ amount: 1000, code: null, included });
    for (const included of [false, true]) {
      const onTop = await ask({ ...sale, included, shipping: shipping(false) });
      const within = await ask({ ...sale, included, shipping: shipping(true) });
      t.ok(sum(within.shipping) < sum(onTop.shipping), `lines ${included ? 'within' : 'on top'}`);
      t.strictSame(within.lines.map(sum), onTop.lines.map(sum));
    }
    const alone = async (included: boolean) =>
      sum((await ask({ ...sale, lines: [], shipping: shipping(included) })).shipping);
    t.ok((await alone(true)) < (await alone(false)));
  });

  t.test('a sale in which only shipping costs something has its taxes alone', async (t) => {
    const { lines, shipping } = await ask({
      ...sale,
      lines: [],
      shipping: { amount: 1000, code: null, included: false },
    });
    t.strictSame(lines, []);
    t.ok(sum(shipping) > 0);
  });

  t.test('an attempt ends with its signal', async (t) => {
    const account = await provider.connect(db);
    const aborted = AbortSignal.abort();
    await t.rejects(async () => account?.calculate({ ...sale, lines: [line(700)] }, aborted));
  });
}
