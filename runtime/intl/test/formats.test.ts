/**
 * Formatters that are kept: one for equal options, and a limited number of them.
 */
import t from 'tap';
import { dateTimeFormat, displayNames, numberFormat } from '../formats.ts';

t.test('equal locales and options have one formatter, others their own', async (t) => {
  const euros = numberFormat('de', { style: 'currency', currency: 'EUR' });
  t.equal(numberFormat('de', { style: 'currency', currency: 'EUR' }), euros);
  t.match(euros.format(1.5), /^1,50\s€$/);
  t.not(numberFormat('en', { style: 'currency', currency: 'EUR' }), euros);
  t.match(numberFormat('de', { style: 'currency', currency: 'USD' }).format(1.5), /^1,50\s\$$/);
  const time = new Date('2026-03-01T12:00:00Z');
  t.equal(dateTimeFormat('en', { timeStyle: 'short', timeZone: 'Asia/Tokyo' }).format(time).slice(0, 4), '9:00');
  t.equal(dateTimeFormat('de', { timeStyle: 'short', timeZone: 'UTC' }).format(time), '12:00');
  t.equal(displayNames('de', { type: 'region' }).of('FR'), 'Frankreich');
});

t.test('the last ones are kept, and those that are used', async (t) => {
  const options = (digits: number) => ({ minimumFractionDigits: digits, maximumFractionDigits: 100 });
  const used = numberFormat('en', options(0));
  const unused = numberFormat('en', options(1));
  for (let digits = 2; digits < 66; digits++) {
    numberFormat('en', options(digits));
    t.equal(numberFormat('en', options(0)), used);
  }
  t.not(numberFormat('en', options(1)), unused);
});

t.test('options that do not exist are an error each time', async (t) => {
  for (let time = 0; time < 2; time++) t.throws(() => dateTimeFormat('en', { dateStyle: 'x' as 'long' }), RangeError);
});
