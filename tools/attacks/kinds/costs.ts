/**
 * Work whose cost an attacker chooses: templates, searches, carts, addresses. It is refused or bounded, and others are
 * served meanwhile.
 */
import { createForSale } from '@carton/cart/testing';
import { bodyOf, type Caller } from '@carton/runtime/testing';
import type { Attack } from '../attack.ts';
import type { Observation } from '../observation.ts';

const tooCostly = { status: 422, code: 'too_costly' };
const invalid = { status: 400, code: 'invalid_request' };

/** Each round of the loop takes as long as ten thousand filters. */
const slow = `{% for i in (1..9000) %}{{ 1 ${'| abs '.repeat(14_000)}}}{% endfor %}`;
/** Hundreds of megabytes. */
const large = `{% capture x %}{% for i in (1..3900) %}${'a'.repeat(90_000)}{% endfor %}{% endcapture %}{% if x contains "q" %}q{% endif %}`;
const doubling = '{% assign x = "0123456789" %}{% for i in (1..99) %}{% assign x = x | append: x %}{% endfor %}';

/** Reads the products of another store until the work has ended. */
async function servedDuring(other: Caller, observe: Observation, work: Promise<unknown>): Promise<void> {
  let isRunning = true;
  const ended = work.finally(() => {
    isRunning = false;
  });
  // At least once, and not in a queue of thousands.
  for (let reads = 0; reads === 0 || (isRunning && reads < 200); reads += 1)
    observe.works('another store meanwhile', await other.get('/products'));
  await ended;
}

export const costs: readonly Attack[] = [
  {
    name: 'costs: templates',
    tries: 'previews and texts of mails with loops, filters and captures that take minutes or gigabytes',
    async run(target, observe) {
      const [store, other] = [await target.openStore(), await target.openStore()];
      await createForSale(other, 1000);
      const path = '/admin/notification-templates/order.placed';
      const preview = (text: string) =>
        store.staff.post(`${path}/preview`, { draft: { subject: 'x', text, html: null } });
      observe.works('a preview', await preview('Order {{ order.number }}'));
      const tried = (async () => {
        observe.refused('too slow', await preview(slow), tooCostly);
        observe.refused('too large', await preview(large), tooCostly);
        observe.refused('doubling', await preview(doubling), invalid);
        observe.refused('a range', await preview('{% for i in (1..100000000) %}x{% endfor %}'), invalid);
        const stored = await store.staff.patch(path, {
          texts: [{ locale: 'en', subject: 'x', text: large, html: null }],
        });
        observe.refused('too large, to be stored', stored, tooCostly);
        for (const text of [
          '{% include "/etc/passwd" %}',
          '{% render "x" %}',
          '{{ order.constructor }}',
          '{{ __proto__ }}',
        ])
          observe.refused(text, await preview(text), invalid);
      })();
      await servedDuring(other.visitor(), observe, tried);
      observe.works('a preview afterwards', await preview('Order {{ order.number }}'));
    },
  },
  {
    name: 'costs: many at once',
    tries: 'costly previews of one store at the same time',
    async run(target, observe) {
      const [store, other] = [await target.openStore(), await target.openStore()];
      const path = '/admin/notification-templates/order.placed/preview';
      const preview = (caller: Caller, text: string) =>
        caller.post(path, { draft: { subject: 'x', text, html: null } });
      observe.works('a preview', await preview(store.staff, 'x'));
      const many = Promise.all(Array.from({ length: 60 }, () => preview(store.staff, slow.replace('9000', '100'))));
      await servedDuring(other.visitor(), observe, many);
      const statuses = (await many).map(({ status }) => status);
      observe.is(`some are refused: ${statuses}`, statuses.includes(503), true);
      observe.is(
        'nothing else comes',
        statuses.every((status) => [200, 422, 503].includes(status)),
        true,
      );
      observe.works('the other store’s preview', await preview(other.staff, 'x'));
    },
  },
  {
    name: 'costs: expressions',
    tries: 'searches, addresses and codes that make regular expressions and patterns slow',
    async run(target, observe) {
      const [store, other] = [await target.openStore(), await target.openStore()];
      await createForSale(store, 1000, { product: { title: 'Linen shirt' } });
      const visitor = store.visitor();
      const found = await visitor.get('/products?q=linen');
      observe.works('a search', found);
      observe.is('what it finds', found.body.items.length, 1);
      const tried = (async () => {
        for (const q of [
          '(a+)+$',
          '%',
          '_%_%_%_%',
          '.*',
          '\\',
          "' or '1'='1",
          'a'.repeat(100),
          '(?:a|a)*b',
          '%%%%%%%%%%%%',
        ]) {
          const answer = await visitor.get(`/products?q=${encodeURIComponent(q)}`);
          observe.refused(q, answer, { status: 200 });
          observe.is(`${q} finds`, answer.body.items.length, 0);
        }
        const long = await visitor.get(`/products?q=${'a'.repeat(5000)}`);
        observe.refused('a long one', long, invalid);
        const emails = [
          `${'a'.repeat(5000)}@x.example`,
          `a@${'a.'.repeat(2000)}`,
          `${'a@'.repeat(2000)}b`,
          `${'!'.repeat(3000)}`,
        ];
        for (const email of emails) {
          const answer = await store.shopper().post('/member/register', { email, password: 'correct horse battery' });
          observe.refused(email.slice(0, 5), answer, invalid);
        }
        for (const url of [`https://${'a'.repeat(5000)}`, `${'http://'.repeat(500)}`]) {
          const answer = await store.staff.patch('/admin/store', { allowedOrigins: [url] });
          observe.refused(url.slice(0, 12), answer, invalid);
        }
      })();
      await servedDuring(other.visitor(), observe, tried);
    },
  },
  {
    name: 'costs: carts and lists',
    tries: 'carts of thousands of lines, pages of thousands of items, and cursors of the attacker',
    async run(target, observe) {
      const store = await target.openStore();
      const { variantId } = await createForSale(store, 1000);
      const shopper = store.shopper();
      observe.works('a cart', await shopper.put('/cart/items', { items: [{ variantId, quantity: 1 }] }));
      const linesOf = (length: number) => ({ items: Array.from({ length }, () => ({ variantId, quantity: 1 })) });
      observe.refused('3000 lines', await shopper.put('/cart/items', linesOf(3000)), invalid);
      const tooLarge = { status: 413, code: 'body_too_large' };
      observe.refused('5000 lines', await shopper.put('/cart/items', linesOf(5000)), tooLarge);
      const [visitor] = [store.visitor()];
      for (const query of [
        'limit=100000',
        'limit=-1',
        'limit=0',
        'limit=1e3',
        'limit=NaN',
        'cursor=x',
        `cursor=${'A'.repeat(4000)}`,
      ])
        observe.refused(query.slice(0, 15), await visitor.get(`/products?${query}`), invalid);
      const forged = Buffer.from(JSON.stringify(["'; drop table products; --", 1, {}])).toString('base64url');
      observe.refused('a forged cursor', await visitor.get(`/products?cursor=${forged}`), invalid);
      const { nextCursor } = await bodyOf(store.staff.get('/admin/products?limit=1'));
      observe.is('a cursor on the last page', nextCursor, null);
    },
  },
];
