/**
 * Guesses on a box: passwords, tokens and codes. A guesser gets nowhere, and shuts out nobody else.
 */
import { randomBytes } from 'node:crypto';
import { createForSale } from '@carton/cart/testing';
import { bodyOf, type OpenedTenant } from '@carton/runtime/testing';
import type { Attack } from '../attack.ts';
import { untilLimited, untilWaiting } from '../limits.ts';
import { keyOf } from '../sale.ts';
import { newAddress } from '../wire.ts';

const wrongLogin = { status: 401, code: 'wrong_login' };
const tooMany = { status: 429, code: 'too_many_requests' };
/** Wrong passwords of an account, after which it has to wait. */
const freeOfAccount = 10;
/** Wrong tokens of an address, after which further ones have to wait. */
const freeOfToken = 10;

function callersOf(store: OpenedTenant) {
  return (address: string, headers: Record<string, string> = {}) => {
    const caller = store.shopper();
    Object.assign(caller.headers, { 'x-forwarded-for': address, ...headers });
    return caller;
  };
}

export const guesses: readonly Attack[] = [
  {
    name: 'guesses: passwords of staff',
    tries: 'an attacker guesses the password of the owner, whose known device must still log in',
    async run(target, observe) {
      const store = await target.openStore();
      const at = callersOf(store);
      const { email, password } = store;
      const path = '/admin/auth/login';
      const [home, evil] = [newAddress(), newAddress()];
      observe.works('the owner', await at(home).post(path, { email, password }));
      for (let guess = 0; guess < freeOfAccount; guess += 1) {
        observe.refused('a guess', await at(evil).post(path, { email, password: `guess ${guess}` }), wrongLogin);
      }
      const further = () => at(evil).post(path, { email, password: 'further' });
      observe.refused('a further guess', await untilWaiting(further), tooMany);
      observe.refused('one from elsewhere', await at(newAddress()).post(path, { email, password: 'x' }), tooMany);
      await untilWaiting(further);
      observe.refused('the right one, from elsewhere', await at(newAddress()).post(path, { email, password }), tooMany);
      observe.works('the owner on the known device, meanwhile', await at(home).post(path, { email, password }));
      observe.works('the open session', await store.staff.get('/admin/me'));
      const unknown = `nobody@${store.slug}.example`;
      const address = newAddress();
      for (let guess = 0; guess < freeOfAccount; guess += 1) {
        observe.refused(
          'an account that is not there',
          await at(address).post(path, { email: unknown, password: 'x' }),
          wrongLogin,
        );
      }
      const waits = await untilWaiting(() => at(address).post(path, { email: unknown, password: 'x' }));
      observe.refused('it waits too', waits, tooMany);
    },
  },
  {
    name: 'guesses: passwords of members',
    tries:
      'shoppers of a storefront that sends all requests from one address mistype, and one of them attacks an account',
    async run(target, observe) {
      const store = await target.openStore();
      const at = callersOf(store);
      const member = await target.createMember(store);
      const { email, password } = member;
      const key = await keyOf(store, target.box.url, ['storefront:write']);
      const server = newAddress();
      const shopper = (address: string) => at(server, { 'x-storefront-key': key.key, 'x-shopper-address': address });
      const path = '/member/login';
      const home = String(member.headers['x-forwarded-for']);
      observe.works('the member', await shopper(home).post(path, { email, password }));
      for (let guess = 0; guess < freeOfAccount; guess += 1) {
        observe.refused(
          'a guess',
          await shopper('203.0.113.1').post(path, { email, password: `guess ${guess}` }),
          wrongLogin,
        );
      }
      const further = () => shopper('203.0.113.1').post(path, { email, password: 'x' });
      observe.refused('a further guess', await untilWaiting(further), tooMany);
      const forged = at(server, { 'x-storefront-key': `${key.key.slice(0, -4)}0000`, 'x-shopper-address': home });
      const asMember = await forged.post(path, { email, password });
      observe.refused('the address of the member with a wrong key', asMember, tooMany);
      observe.works('the member at the known address', await shopper(home).post(path, { email, password }));
      for (let turn = 0; turn < 25; turn += 1) {
        const mistyped = { email: `${randomBytes(4).toString('hex')}@shopper.example`, password: 'mistyped' };
        observe.refused('a typing error', await shopper(`203.0.114.${turn}`).post(path, mistyped), wrongLogin);
      }
      const other = await target.createMember(store);
      const login = { email: other.email, password: other.password };
      observe.works('another member', await shopper('203.0.115.1').post(path, login));
    },
  },
  {
    name: 'guesses: tokens of links',
    tries:
      'wrong tokens of invites, verifications, resets and downloads, after which right ones at that address must work',
    async run(target, observe) {
      const store = await target.openStore();
      const at = callersOf(store);
      const { token } = await bodyOf(
        store.staff.post('/admin/invites', { email: 'new@staff.example', role: 'viewer' }),
      );
      const wrong = (prefix: string) => `${prefix}${randomBytes(32).toString('base64url')}`;
      const accept = (sent: string) => ({ token: sent, name: 'New', password: 'correct horse battery' });
      const kinds: [path: string, body: (sent: string) => object, code: string][] = [
        ['/admin/invites/accept', accept, 'invite_unknown'],
        [
          '/admin/auth/password/reset',
          (sent) => ({ token: sent, password: 'correct horse battery' }),
          'password_reset_unknown',
        ],
        ['/member/email/verify', (sent) => ({ token: sent }), 'verification_unknown'],
        [
          '/member/password/reset',
          (sent) => ({ token: sent, password: 'correct horse battery' }),
          'password_reset_unknown',
        ],
        ['/orders/lookup/open', (sent) => ({ token: sent }), 'order_link_unknown'],
      ];
      const address = newAddress();
      observe.works('the store', await at(address).get('/store'));
      for (const [path, body, code] of kinds) {
        for (let guess = 0; guess < freeOfToken; guess += 1) {
          observe.refused(path, await at(address).post(path, body(wrong(''))), { status: 404, code });
        }
        const further = await untilWaiting(() => at(address).post(path, body(wrong(''))));
        observe.refused(`${path}, further`, further, tooMany);
      }
      for (let guess = 0; guess < freeOfToken; guess += 1) {
        observe.refused('/downloads', await at(address).get(`/downloads/${wrong('dwn_')}`), {
          status: 404,
          code: 'not_found',
        });
      }
      const further = await untilWaiting(() => at(address).get(`/downloads/${wrong('dwn_')}`));
      observe.refused('/downloads, further', further, tooMany);
      observe.works(
        'the right invite at that address',
        await at(address).post('/admin/invites/accept', accept(token)),
        201,
      );
      const { email, password } = store;
      observe.works('a log-in at that address', await at(address).post('/admin/auth/login', { email, password }));
    },
  },
  {
    name: 'guesses: API keys and secrets',
    tries:
      'wrong API keys, hosting and operator secrets from an address, after which right ones at that address must work',
    direct: true,
    async run(target, observe) {
      const store = await target.openStore();
      const key = await keyOf(store, target.box.url, ['core:read']);
      const as = (bearer: string) =>
        store.visitor().get('/admin/store', { headers: { authorization: `Bearer ${bearer}` } });
      observe.works('the right key', await as(key.key));
      const guess = () => as(`ck_secret_${randomBytes(24).toString('hex')}`);
      const { before, last } = await untilLimited(guess);
      for (const answer of before) observe.refused('a guess', answer, { status: 401, code: 'unauthenticated' });
      observe.refused('a further guess', last, tooMany);
      observe.works('the right key', await as(key.key));
      observe.works('staff', await store.staff.get('/admin/store'));
      observe.works('the operator', await target.box.operator.get('/admin/tenants'));
      observe.works('a shopper', await store.visitor().get('/products'));
    },
  },
  {
    name: 'guesses: promotion codes',
    tries: 'a shopper guesses promotion codes in one cart and in many',
    direct: true,
    async run(target, observe) {
      const store = await target.openStore();
      const { variantId } = await createForSale(store, 1000);
      const fields = { label: 'Secret', discount: { kind: 'percent', percent: 10 } };
      const promotion = await store.staff.post('/admin/promotions', fields);
      observe.works('a promotion', promotion, 201);
      const codes = { codes: ['SECRET-CODE-1'] };
      observe.works('its code', await store.staff.post(`/admin/promotions/${promotion.body.id}/codes`, codes), 201);
      const shopper = store.shopper();
      await bodyOf(shopper.post('/cart/items', { variantId, quantity: 1 }));
      const apply = (code: string) => shopper.post('/cart/promotions', { code });
      observe.works('the right code', await apply('SECRET-CODE-1'), 201);
      let count = 0;
      const { before, last } = await untilLimited(() => apply(`GUESS-${count++}`));
      for (const answer of before) observe.refused('a guess', answer, { status: 404, code: 'promotion_code_unknown' });
      observe.refused('a guess after many', last, tooMany);
    },
  },
];
