/**
 * Texts of the packages' own mails: which mails there are, in which languages, and how a mail names its language.
 */
import { languages, type MailTexts, mailTemplates } from '@carton/runtime';
import t from 'tap';
import { verifyTexts } from '../templates/texts.ts';
import { createMailBox } from './helpers.ts';

const { box } = await createMailBox(t);
const { staff } = box;
const path = '/admin/notification-templates/order.placed';
const text = (locale: string, subject: string) => ({ locale, subject, text: 'x', html: null });

t.test('the texts of every mail of every package can be sent', async (t) => {
  const store = (await staff.get('/admin/store')).body;
  const templates = mailTemplates.of(box.box.database);
  t.ok(templates.length >= 7);
  for (const template of templates) {
    const { subject, text, html } = template;
    await t.resolves(verifyTexts(box.db, template, [{ locale: 'de-DE', subject, text, html }], store), template.key);
    const { status, body } = await staff.post(`/admin/notification-templates/${template.key}/preview`, {});
    t.equal(status, 200, template.key);
    t.notMatch(body.subject + body.text + body.html, /\{\{|\{%/);
  }
});

/** The variables that a text shows, and the conditions under which it says something. */
function placeholdersOf(text: string): string[] {
  return [...text.matchAll(/\{\{.*?\}\}|\{%.*?%\}/g)].map(([each]) => each).sort();
}

t.test('every mail of every package has its texts in each language, with the same placeholders', async (t) => {
  const store = (await staff.get('/admin/store')).body;
  for (const template of mailTemplates.of(box.db)) {
    const { key, subject, text, html, translations = { en: { subject, text } } } = template;
    t.strictSame(Object.keys(translations), [...languages], key);
    for (const language of languages) {
      const translated = translations[language] as MailTexts;
      const other = language === 'en' ? null : translated;
      for (const [part, english] of Object.entries({ subject, text, html })) {
        const own = translated[part as keyof MailTexts] ?? '';
        t.strictSame(placeholdersOf(own), placeholdersOf(english ?? ''), `${key}, ${part}, ${language}`);
        if (other) t.not(own, english, `${key}, ${part}, ${language} is translated`);
      }
      await t.resolves(verifyTexts(box.db, template, [{ locale: language, ...translated }], store), key);
    }
  }
});

t.test("a mail without texts of the store is in the order's language, else in the store's", async (t) => {
  const preview = async (locale: string) => (await staff.post(`${path}/preview`, { locale })).body;
  const subjects = async () => (await Promise.all(['de-AT', 'ja', 'sv'].map(preview))).map(({ subject }) => subject);
  t.strictSame(await subjects(), ['Ihre Bestellung ORD-1001', 'ご注文 ORD-1001', 'Your order ORD-1001']);
  const german = await preview('de-AT');
  t.match(german, { locale: 'de-AT', html: '<html lang="de" dir="ltr">' });
  t.match(german.text.replaceAll('\u00a0', ' '), 'Gesamtbetrag: € 39,88');
  t.match(await preview('ar'), { html: /<html lang="ar" dir="rtl">(.|\n)*text-align:left/ });
  await staff.patch('/admin/store', { defaultLocale: 'fr-CA' });
  t.strictSame(await subjects(), ['Ihre Bestellung ORD-1001', 'ご注文 ORD-1001', 'Votre commande ORD-1001']);
  await staff.patch(path, { texts: [text('fr', 'own'), text('de', 'eigen')] });
  t.strictSame(await subjects(), ['eigen', 'ご注文 ORD-1001', 'own']);
  await staff.patch(path, { texts: [] });
  await staff.patch('/admin/store', { defaultLocale: 'en' });
});

t.test('a mail names the language and the direction of its text, not of the order', async (t) => {
  const html = '<p>{{ order.createdAt | date }}</p>';
  await staff.patch(path, { texts: [{ locale: 'ar', subject: 'x', text: 'x', html }] });
  const preview = async (locale: string) => (await staff.post(`${path}/preview`, { locale })).body;
  t.match(await preview('ar-EG'), { locale: 'ar-EG', html: /<html lang="ar" dir="rtl">(.|\n)*<p>١ مارس ٢٠٢٦<\/p>/ });
  const fallback = await preview('he');
  t.match(fallback.html, '<html lang="en" dir="ltr">');
  t.match(fallback.text, 'Please pay €39.88 by March 8, 2026.', 'amounts and dates are in its language, too');
  t.match(await preview('en-GB'), { locale: 'en-GB', text: 'by 8 March 2026.', html: '<html lang="en" dir="ltr">' });
  await staff.patch(path, { texts: [] });
});

/** Mails that shoppers and staff rely on. */
const expectedMails = [
  ...['order.placed', 'order.canceled', 'order.lookup_requested', 'payment.captured', 'refund.created'],
  ...['dispute.opened', 'dispute.closed'],
  ...['fulfillment.shipped', 'fulfillment.delivered', 'stock.low', 'staff.invited', 'staff.password_reset_requested'],
  ...['member.created', 'member.registration_requested', 'member.verification_requested'],
  ...['member.password_reset_requested', 'member.email_change_requested', 'member.email_changed'],
];

t.test('packages have a mail for each step of an order and of an account', async (t) => {
  const keys = (await staff.get('/admin/notification-templates')).body.items.map(({ key }: { key: string }) => key);
  t.strictSame(
    expectedMails.filter((key) => !keys.includes(key)),
    [],
  );
});
