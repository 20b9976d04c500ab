/**
 * Sessions of shoppers: ids of the attacker, tampered ones, and those of other stores.
 */
import { randomBytes } from 'node:crypto';
import { type Article, createForSale } from '@carton/cart/testing';
import type { Caller, OpenedTenant } from '@carton/runtime/testing';
import type { Attack } from '../attack.ts';

const idOf = ({ headers }: Caller) => headers['x-session-id'] as string;

/** A shopper with one unit in the cart. */
async function shopperIn(store: OpenedTenant, { variantId }: Article): Promise<Caller> {
  const shopper = store.shopper();
  const { status } = await shopper.post('/cart/items', { variantId, quantity: 1 });
  if (status !== 201) throw new Error(`no item was added: ${status}`);
  return shopper;
}

export const sessions: readonly Attack[] = [
  {
    name: 'sessions: fixation',
    tries: 'an id that the attacker has chosen is planted in the header and in the cookie',
    async run(target, observe) {
      const store = await target.openStore();
      const article = await createForSale(store, 1000);
      const victim = await shopperIn(store, article);
      observe.works('a shopper with an id of the box', await victim.get('/cart'));
      const planted = randomBytes(32).toString('base64url');
      const cookies = ['carton_session', '__Host-carton_session'].map((name) => ({ cookie: `${name}=${planted}` }));
      for (const headers of [{ 'x-session-id': planted }, ...cookies]) {
        const item = { variantId: article.variantId, quantity: 1 };
        const added = await store.visitor().post('/cart/items', item, { headers });
        observe.works('the victim adds an item', added, 201);
        const issued = added.headers.get('x-session-id') ?? '';
        observe.is('the victim gets a new id', issued !== '' && !issued.startsWith(planted), true);
        const read = await store.visitor().get('/cart', { headers });
        observe.refused('the attacker reads the cart with the planted id', read, { status: 200 });
        observe.is('and finds the cart of the victim', read.body.id === added.body.id, false);
        observe.is('and finds items', read.body.items.length, 0);
      }
    },
  },
  {
    name: 'sessions: tampered ids',
    tries: 'an id of the box is changed, shortened, repeated, and signed by nobody',
    async run(target, observe) {
      const store = await target.openStore();
      const shopper = await shopperIn(store, await createForSale(store, 1000));
      const id = idOf(shopper);
      const cart = await shopper.get('/cart');
      observe.works('the id as it was issued', cart);
      const flipped = (at: number) => `${id.slice(0, at)}${id[at] === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`;
      const changed = [flipped(0), flipped(45), flipped(id.length - 2), id.slice(0, 43), id.slice(0, -1), `${id}${id}`];
      for (const sent of [...changed, `${id}, ${id}`, `${id};`, '../../etc/passwd', "' or '1'='1"]) {
        const read = await store.visitor().get('/cart', { headers: { 'x-session-id': sent } });
        observe.refused('a changed id', read, { status: 200 });
        observe.is(`the cart behind ${sent.slice(0, 5)}…, changed`, read.body.id, null);
      }
    },
  },
  {
    name: 'sessions: of another store',
    tries: 'the session of a shopper is used in another store',
    async run(target, observe) {
      const [store, other] = [await target.openStore(), await target.openStore()];
      const shopper = await shopperIn(store, await createForSale(store, 1000));
      const headers = { 'x-session-id': idOf(shopper) };
      observe.works('in its own store', await store.visitor().get('/cart', { headers }));
      const read = await other.visitor().get('/cart', { headers });
      observe.refused('in another one', read, { status: 200 });
      observe.is('the cart there', read.body.id, null);
    },
  },
  {
    name: 'sessions: after the log-in of a member',
    tries: 'who knew the session before the log-in reads the cart and the orders of the member with it',
    async run(target, observe) {
      const store = await target.openStore();
      const article = await createForSale(store, 1000);
      const member = await target.createMember(store);
      const shopper = await shopperIn(store, article);
      const known = { headers: { 'x-session-id': idOf(shopper) } };
      const login = await shopper.post('/member/login', { email: member.email, password: member.password });
      observe.works('the member logs in', login);
      const own = { headers: { authorization: `Bearer ${login.body.token}` } };
      observe.works('the member reads the profile', await shopper.get('/member', own));
      observe.refused('the former id reads it', await store.visitor().get('/member', known), {
        status: 401,
        code: 'unauthenticated',
      });
      const cart = await store.visitor().get('/cart', known);
      observe.refused('the former id reads the cart', cart, { status: 200 });
      observe.is('its items', cart.body.items.length, 0);
      observe.works('the member logs out', await shopper.post('/member/logout', undefined, own), 204);
      observe.refused('the token of the ended log-in', await shopper.get('/member', own), {
        status: 401,
        code: 'unauthenticated',
      });
    },
  },
];
