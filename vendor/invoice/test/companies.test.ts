/**
 * Invoices to companies: the company is the buyer and the person its contact, and addresses with fields are said in parts.
 */
import { bodyOf } from '@carton/runtime/testing';
import t from 'tap';
import { renderInvoices } from '../page/markup.ts';
import { sheetOf } from '../pdf/sheet.ts';
import type { InvoiceRow } from '../store.ts';
import { at, brokenRules, parseXml } from './en16931.ts';
import { issue, openBox, placeTaxed } from './helpers.ts';

const box = await openBox(t);
const home = {
  name: 'Erika Muster',
  line1: 'Weg 1',
  line2: 'Hof 2',
  postalCode: '10115',
  city: 'Berlin',
  country: 'DE',
};
const office = { ...home, name: 'Max Buchhalter', company: 'Firma Müller GmbH', province: 'BE' };
const buyer = 'AccountingCustomerParty/Party';

/** The invoice of an order, as lines of the buyer, and at paths of UBL. */
async function invoiceTo(customer: object, paths: readonly string[], body?: object) {
  const order = await placeTaxed(box, { customer: { email: 'max@example.com', name: 'Max', ...customer } as never });
  const invoice = await bodyOf(issue(box, order.id, body));
  const xml = String((await box.staff.get(`/admin/invoices/${invoice.id}/files/ubl`)).body);
  t.strictSame(brokenRules(xml), []);
  const [, root] = parseXml(xml);
  return { invoice, order, texts: paths.map((path) => at(root, path)[0]?.text ?? null) };
}

const ofBuyer = [
  'PartyLegalEntity/RegistrationName',
  'Contact/Name',
  ...['StreetName', 'AdditionalStreetName', 'CityName', 'PostalZone', 'CountrySubentity'].map(
    (name) => `PostalAddress/${name}`,
  ),
].map((path) => `${buyer}/${path}`);

t.test('the company is the buyer, and the person whom to ask for', async (t) => {
  const { invoice, texts } = await invoiceTo({ address: home, billing: office }, [
    ...ofBuyer,
    ...['StreetName', 'CityName', 'PostalZone'].map((name) => `Delivery/DeliveryLocation/Address/${name}`),
  ]);
  t.strictSame(texts, [
    ...['Firma Müller GmbH', 'Max Buchhalter', 'Weg 1', 'Hof 2', 'Berlin', '10115', 'BE'],
    ...['Weg 1', 'Berlin', '10115'],
  ]);
  t.strictSame(invoice.buyer.address.slice(0, 3), ['Max Buchhalter', 'Firma Müller GmbH', 'Weg 1']);
});

t.test('a person who is not in the address of the company follows it on page and PDF', async (t) => {
  const { name: _, ...nameless } = office;
  const { invoice, texts } = await invoiceTo({ address: nameless }, ofBuyer.slice(0, 2));
  t.strictSame(texts, ['Firma Müller GmbH', 'Max']);
  const [row] = await box.db.query<InvoiceRow>('select * from invoices where tenant_id = $1 and id = $2', [invoice.id]);
  const issued = row as InvoiceRow;
  const printed = sheetOf(issued).facts[1]?.lines.map((line) => line.replaceAll(/[\u2068\u2069]/g, ''));
  t.strictSame(printed?.slice(0, 3), ['Firma Müller GmbH', 'Max', 'Weg 1']);
  t.match(String(renderInvoices([issued])), /<h2>Bill to<\/h2><p><bdi>Firma Müller GmbH<\/bdi><\/p><p><bdi>Max</);
});

t.test('a person without a company is the buyer, without a contact of another name', async (t) => {
  const { texts } = await invoiceTo({ address: home }, ofBuyer);
  t.strictSame(texts, ['Erika Muster', null, 'Weg 1', 'Hof 2', 'Berlin', '10115', null]);
});

t.test('staff replace the person, or the whole address', async (t) => {
  const address = 'Analytical Engines\n12 St James Square\nLondon\nUnited Kingdom';
  const other = { name: 'Analytical Engines', address };
  const replaced = await invoiceTo({ address: office }, ofBuyer, { buyer: other });
  t.strictSame(replaced.texts, ['Analytical Engines', null, '12 St James Square', 'London', null, null, null]);
  const person = await invoiceTo({ address: office }, ofBuyer.slice(0, 2), { buyer: { name: 'Grace Hopper' } });
  t.strictSame(person.texts, ['Firma Müller GmbH', 'Grace Hopper']);
  const moved = { address: 'Firma Müller GmbH\nGasse 3\nHamburg\nGermany' };
  const kept = await invoiceTo({ address: office }, ofBuyer.slice(0, 3), { buyer: moved });
  t.strictSame(kept.texts, ['Firma Müller GmbH', 'Max Buchhalter', 'Gasse 3']);
});
