/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { StatementSamples } from '@carton/runtime/testing';
import { listCodes } from '../codes/store.ts';
import { readConsidered } from '../discounts/store.ts';
import { promotions } from '../promotions/store.ts';
import { claimUses } from '../uses/claims-store.ts';
import { detachUses, exportUses } from '../uses/customer-store.ts';

const event = { payload: '{}' } as Parameters<typeof claimUses>[3][number];

/** Claims one use. */
function claim(db: TenantDatabase, id: string, code: string | null): Promise<boolean> {
  const order = { orderId: id, currency: 'EUR', customerKey: 'ada@example.com' };
  return claimUses(db, order, [{ promotionId: id, code, amount: 100 }], [{ ...event, id }]);
}

export const statements: StatementSamples = {
  'promotions.promotions.page': ({ db }) => promotions.page(db, { limit: 20, active: true }),
  'codes.listCodes': ({ db, id }) => listCodes(db, { limit: 20 }, { promotionId: id }),
  'discounts.readConsidered': ({ db, id }) =>
    readConsidered(db, {
      time: new Date('2026-01-01T00:00:00Z'),
      memberId: id,
      email: 'ada@example.com',
      cartId: id,
      codes: ['TEN'],
    }),
  'uses.claimUses': ({ db, id }) => claim(db, id, null),
  'uses.claimUses with a code': ({ db, id }) => claim(db, id, 'TEN'),
  'uses.exportUses': ({ db, id }) => exportUses(db, { keys: ['ada@example.com'], orderIds: [id] }),
  'uses.detachUses': ({ db, id }) => detachUses(db, { keys: ['ada@example.com'], orderIds: [id] }),
};
