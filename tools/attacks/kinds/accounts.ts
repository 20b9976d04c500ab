/**
 * Accounts of members: addresses of others are registered before their owners come, and mails are sent to them.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createForSale } from '@carton/cart/testing';
import { bodyOf, type Caller, type OpenedTenant } from '@carton/runtime/testing';
import type { Attack } from '../attack.ts';
import type { Target } from '../target.ts';
import { newAddress } from '../wire.ts';

const wrongLogin = { status: 401, code: 'wrong_login' };
/** Mails an hour to an address that nobody has verified. */
const mailsPerRecipient = 10;

const mailPatience = 60_000;

const newEmail = () => `victim-${randomBytes(5).toString('hex')}@shopper.example`;

function shopperAt(store: OpenedTenant, address = newAddress()): Caller {
  const shopper = store.shopper();
  shopper.headers['x-forwarded-for'] = address;
  return shopper;
}

/** The token with this beginning in a mail to an address. @throws Error if none comes */
async function tokenFor({ mails }: Target, email: string, prefix: string): Promise<string> {
  const until = Date.now() + mailPatience;
  for (;;) {
    const texts = (await mails()).filter(({ to }) => to === email).map(({ text }) => text);
    const [token] = new RegExp(`${prefix}[\\w-]+`).exec(texts.join('\n')) ?? [];
    if (token) return token;
    if (Date.now() > until) throw new Error(`no mail with ${prefix} has come to ${email}`);
    await sleep(100);
  }
}

export const accounts: readonly Attack[] = [
  {
    name: 'accounts: taken before the owner comes',
    tries: 'the attacker registers the address of a guest, who follows the link: the attacker’s password opens nothing',
    async run(target, observe) {
      const store = await target.openStore();
      const { variantId } = await createForSale(store, 1000);
      const email = newEmail();
      const guest = shopperAt(store);
      await bodyOf(guest.post('/cart/items', { variantId, quantity: 1 }));
      const order = await guest.post('/checkout', { customer: { email, name: 'Ada Lovelace' } });
      observe.works('the order of the guest', order, 201);
      const evil = { email, password: 'the password of the attacker', name: 'Evil' };
      observe.works('the registration by the attacker', await shopperAt(store).post('/member/register', evil), 202);
      const token = await tokenFor(target, email, 'mbv_');
      const victim = shopperAt(store);
      observe.works(
        'the link of the mail, opened by the victim',
        await victim.post('/member/email/verify', { token }),
        204,
      );
      const login = (password: string) => shopperAt(store).post('/member/login', { email, password });
      observe.refused('the password of the attacker', await login(evil.password), wrongLogin);
      const again = await shopperAt(store).post('/member/email/verify', { token });
      observe.refused('the link again', again, { status: 404, code: 'verification_unknown' });
      // The owner of the address gets a link with which a password is set.
      observe.works('the request for a link', await victim.post('/member/password/forgot', { email }), 202);
      const reset = await tokenFor(target, email, 'mbr_');
      const chosen = { token: reset, password: 'the password of the owner' };
      observe.works('the password of the owner', await victim.post('/member/password/reset', chosen), 204);
      const owner = shopperAt(store);
      const opened = await owner.post('/member/login', { email, password: chosen.password });
      observe.works('the owner', opened);
      observe.refused('the password of the attacker, afterwards', await login(evil.password), wrongLogin);
    },
  },
  {
    name: 'accounts: which addresses have one',
    tries: 'registrations, resets and log-ins with addresses that have an account and such that have none',
    async run(target, observe) {
      const store = await target.openStore();
      const none = newEmail();
      const shown = async (path: string, body: object) => {
        const { status, body: answer, headers } = await shopperAt(store).post(path, body);
        const names = [...headers.keys()].filter((name) => !/^ratelimit/.test(name)).sort();
        return { status, text: JSON.stringify([answer?.code ?? answer, names]) };
      };
      const cases: [string, (email: string) => object, number][] = [
        ['/member/register', (email) => ({ email, password: 'correct horse battery' }), 202],
        ['/member/email/verification', (email) => ({ email }), 202],
        ['/member/password/forgot', (email) => ({ email }), 202],
        ['/orders/lookup', (email) => ({ email, number: 'ORD-1' }), 202],
      ];
      for (const [path, body, status] of cases) {
        // Links for one account are limited.
        const { email } = await target.createMember(store);
        const [known, unknown] = [await shown(path, body(email)), await shown(path, body(newEmail()))];
        observe.works(`${path} of an account`, known, status);
        observe.refused(`${path} of none`, unknown, { status });
        observe.is(`${path}: the answers differ`, known.text === unknown.text, true);
      }
      const wrong = (email: string) => shown('/member/login', { email, password: 'a wrong password' });
      const [known, unknown] = [await wrong((await target.createMember(store)).email), await wrong(none)];
      observe.refused('a wrong password', known, { status: 401 });
      observe.refused('no account', unknown, { status: 401 });
      observe.is('the answers of log-ins are the same', known.text === unknown.text, true);
    },
  },
  {
    name: 'accounts: mails to other persons',
    tries: 'orders of guests with the address of another person, and an address of the attacker as the name',
    async run(target, observe) {
      const store = await target.openStore();
      const { variantId } = await createForSale(store, 1000);
      const email = newEmail();
      const orders = mailsPerRecipient + 5;
      for (let count = 0; count < orders; count += 1) {
        const guest = shopperAt(store);
        await bodyOf(guest.post('/cart/items', { variantId, quantity: 1 }));
        const customer = { email: count % 2 ? email : email.toUpperCase(), name: 'Visit https://evil.example now' };
        observe.works('each order is placed', await guest.post('/checkout', { customer }), 201);
      }
      const queued = async () =>
        (await bodyOf(store.staff.get('/admin/notifications?status=queued&limit=100'))).items.length;
      const mails = async () => (await target.mails()).filter(({ to }) => to.toLowerCase() === email);
      const until = Date.now() + 60_000;
      // They are sent one after another.
      while ((await mails()).length + (await queued()) < orders && Date.now() < until) await sleep(200);
      while ((await mails()).length < mailsPerRecipient && Date.now() < until) await sleep(200);
      const sent = await mails();
      observe.is('mails', sent.length, mailsPerRecipient);
      observe.is('mails that wait', await queued(), orders - mailsPerRecipient);
      observe.is('they name the address of the attacker', JSON.stringify(sent).includes('evil.example'), false);
    },
  },
];
