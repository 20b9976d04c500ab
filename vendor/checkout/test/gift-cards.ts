/**
 * A gift card package as a third party would write it: a tender that uses only what payment exports.
 */
import { paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import { newId } from '@carton/runtime';
import {
  type Caller,
  createTestBox,
  extendBox,
  packagesOfTier,
  shortName,
  type TestBox,
  writePackage,
} from '@carton/runtime/testing';
import type { Test } from 'tap';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table gift_cards (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      code text not null,
      balance bigint not null check (balance >= 0),
      primary key (tenant_id, id)
    );
    create table gift_card_choices (
      tenant_id uuid not null,
      cart_id uuid not null,
      position integer not null,
      card_id uuid not null,
      primary key (tenant_id, cart_id, position),
      foreign key (tenant_id, card_id) references gift_cards (tenant_id, id)
    );
    -- Debits are negative, keyed by their order; credits are keyed by their refund.
    create table gift_card_entries (
      tenant_id uuid not null,
      card_id uuid not null,
      key uuid not null,
      order_id uuid not null,
      amount bigint not null,
      primary key (tenant_id, card_id, key),
      foreign key (tenant_id, card_id) references gift_cards (tenant_id, id)
    );
  \`);
export const down = (knex) => knex.raw('drop table gift_card_entries, gift_card_choices, gift_cards');
`;

const index = `
import { tenderOrder, tenders } from '@carton/payment';
import { defineProblem, definePackage } from '@carton/runtime';

const giftCardSpent = defineProblem({ code: 'gift_card_spent', status: 409, title: 'The gift card has no balance left' });

const giftCard = {
  name: 'gift_card',
  order: tenderOrder.giftCard,
  problems: [giftCardSpent],
  async plan(db, { source }) {
    const cards = await db.query(
      \`select card.id, card.code, card.balance from gift_card_choices
         join gift_cards card on card.tenant_id = $1 and card.id = gift_card_choices.card_id
        where gift_card_choices.tenant_id = $1 and cart_id = $2 order by position\`,
      [source.id],
    );
    return cards.map(({ id, code, balance }) => ({
      reference: id, label: \`Gift card ending in \${code.slice(-4)}\`, amount: balance,
    }));
  },
  async commit(tx, orderId, { reference, amount }) {
    const [card] = await tx.query(
      \`with debit as (update gift_cards set balance = balance - $3::bigint
                       where tenant_id = $1 and id = $2 and balance >= $3::bigint returning id)
       insert into gift_card_entries (tenant_id, card_id, key, order_id, amount)
       select $1, id, $4, $4, -$3::bigint from debit returning card_id\`,
      [reference, amount, orderId],
    );
    if (!card) throw giftCardSpent('Review your cart.');
  },
  async reverse(tx, orderId, { reference }, amount, key) {
    await tx.query(
      \`with credit as (insert into gift_card_entries (tenant_id, card_id, key, order_id, amount)
                         values ($1, $2, $4, $5, $3) returning card_id)
       update gift_cards set balance = balance + $3 where tenant_id = $1 and id = (select card_id from credit)\`,
      [reference, amount, key, orderId],
    );
  },
};

/** Its commit blocks, so that a test can terminate the connection as if the process had died there. */
const blocking = {
  name: 'blocking',
  order: tenderOrder.credit,
  problems: [],
  plan: (db, { due }) => (due === 66600 ? [{ reference: 'all', label: 'Blocking', amount: 1 }] : []),
  commit: (tx) => tx.query('select pg_sleep(60), $1::uuid'),
  reverse: async () => {},
};

export default definePackage({ routes: [], extends: [tenders.with(blocking), tenders.with(giftCard)] });
`;

/** A box with the gift card package. */
export async function boxWithGiftCards(t: Test): Promise<TestBox> {
  const written = { name: 'giftcards', dependencies: ['payment', 'checkout'], index, migration };
  return createTestBox(t, await writePackage(t, written, packagesOfTier('basic').map(shortName)));
}

/** Creates a gift card; returns its id. */
export async function createCard({ db }: TestBox, balance: number, code = '0000-0000-0000'): Promise<string> {
  const id = newId();
  await db.insert('gift_cards', { id, code, balance });
  return id;
}

/** Selects these cards for the shopper's cart, in order of use. */
export async function selectCards({ db }: TestBox, shopper: Caller, ...cardIds: string[]): Promise<void> {
  const { id: cartId } = (await shopper.get('/cart')).body;
  for (const [position, cardId] of cardIds.entries())
    await db.insert('gift_card_choices', { cartId, position, cardId });
}

export async function cardBalances({ db }: TestBox, ...cardIds: string[]): Promise<number[]> {
  const rows = await db.query<{ id: string; balance: number }>(
    'select id, balance from gift_cards where tenant_id = $1',
  );
  return cardIds.map((cardId) => rows.find(({ id }) => id === cardId)?.balance as number);
}

/** Debits and credits of cards for an order, oldest first. */
export async function entriesOf({ db }: TestBox, orderId: string): Promise<number[]> {
  const rows = await db.query<{ amount: number }>(
    'select amount from gift_card_entries where tenant_id = $1 and order_id = $2 order by key <> order_id, key, card_id',
    [orderId],
  );
  return rows.map(({ amount }) => amount);
}

/** Binds a payment provider until the test ends. */
export function bindTo(t: { teardown(task: () => void): void }, box: TestBox): TestProvider {
  const provider = new TestProvider();
  extendBox(t, box, [paymentAdapters.with(provider)]);
  return provider;
}
