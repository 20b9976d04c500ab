/**
 * What every carrier service must keep, tested with the service or a simulator of it.
 */
import { isCurrency, type TenantDatabase } from '@carton/runtime';
import type { CarrierQuestion, CarrierService } from '@carton/shipping';
import type { Test } from 'tap';

export interface ServiceUnderTest {
  service: CarrierService;
  /** Of a tenant who has an account with the service. */
  db: TenantDatabase;
  /** Addresses between which carriers take a parcel of a kilogram. */
  route: Pick<CarrierQuestion, 'from' | 'to'>;
}

/** Tests a service. */
export function testCarrierService(t: Test, { service, db, route }: ServiceUnderTest): void {
  async function ask(weight: number, signal = AbortSignal.timeout(10_000)) {
    const account = await service.connect(db);
    if (!account) throw new Error('the tenant has no account with the service');
    return account.rate({ ...route, weight }, signal);
  }

  t.test('it has a name for settings, and an account', async (t) => {
    t.match(service.name, /^[a-z0-9-]{1,60}$/);
    t.ok((await service.connect(db))?.id);
  });

  t.test('a parcel has prices by carrier and service, the same each time', async (t) => {
    const answer = await ask(1000);
    t.ok(answer.rates.length > 0);
    for (const { service: name, amount, currency } of answer.rates) {
      t.match(name, /\S \S/, 'carrier and service');
      t.ok(Number.isSafeInteger(amount) && amount >= 0);
      t.ok(isCurrency(currency));
    }
    t.strictSame(answer.failed, []);
    t.strictSame(await ask(1000), answer);
  });

  t.test('a heavier parcel costs no less', async (t) => {
    const [light, heavy] = [await ask(1), await ask(1000)];
    for (const { service: name, amount } of heavy.rates) {
      const other = light.rates.find((rate) => rate.service === name);
      t.ok(other === undefined || other.amount <= amount, name);
    }
  });

  t.test('an attempt ends with its signal', async (t) => {
    await t.rejects(ask(1000, AbortSignal.abort()));
  });
}
