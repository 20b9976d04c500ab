/**
 * Phone numbers are accepted in the formats that people write.
 */
import t from 'tap';
import { requestSchema } from '../../http/input-forms.ts';
import { object } from '../../http/schemas.ts';
import { validate } from '../../http/validation.ts';
import { isPhone, Phone, writtenPhone } from '../phone.ts';

const valid = [
  '12345',
  '+33123456789',
  '+33 1 23 45 67 89',
  '+1 (555) 010-0199',
  '(555) 010-0199',
  '555.010.0199',
  '030/123 45-67',
  '+49 (0) 30 / 123 45-67',
  '+49(0)301234567',
  '(+49) 30 1234567',
  '0033 1 23 45 67 89',
  '+123456789012345',
  '555-0100 x12',
  '(555) 010-0199 ext. 12',
  '(555) 010-0199 Ext 12',
  '555-0100#12',
  '+1-555-010-0199;ext=1234567',
];
const invalid = [
  '',
  '1234',
  '1 2 3 4',
  '+1234567890123456',
  '1234567890123456',
  '+0 1234567',
  '++33123456789',
  '+ 33 1 23 45 67 89',
  '33+123456789',
  ' 12345',
  '12345 ',
  '12345-',
  '-12345',
  '12-/-./45678',
  '(555 010-0199',
  '555) 010-0199',
  '((555)) 010-0199',
  '() 555-0100',
  '555-0100 x',
  '555-0100 x12345678',
  'x12345',
  '12345 x1 x2',
  'tel:+33123456789',
  'ada@example.com',
  'call me',
  '0800 FLOWERS',
  '+33 1\n23 45 67 89',
  '+33 1\u00a023 45 67 89',
  '١٢٣٤٥٦٧',
  '１２３４５',
  `+${'1'.repeat(1_000_000)}`,
];

t.test('valid and invalid phone numbers', async (t) => {
  for (const text of valid) t.ok(isPhone(text), text);
  for (const text of invalid) t.notOk(isPhone(text), text.slice(0, 40));
});

t.test('requests take numbers as they are copied, and other texts lose only what is not shown', async (t) => {
  const schema = requestSchema(object({ phone: Phone }));
  const copied = {
    '\u202a+1 555 123 4567\u202c': '+1 555 123 4567',
    '+1 555 123 4567\u200e': '+1 555 123 4567',
    '＋４９ ３０ １２３４５６': '+49 30 123456',
    '٠١٢٣ ٤٥٦٧': '0123 4567',
    ' 030\u00a0123\u2011456 ': '030 123-456',
  };
  for (const [text, phone] of Object.entries(copied)) {
    t.strictSame(validate(schema, { phone: text }, 'body'), { phone }, text);
    t.equal(writtenPhone(text), phone);
  }
  for (const phone of ['', '\u200e', 'call me', '１２３', `+${'1'.repeat(99)}`, `1${'\u200e'.repeat(100)}23456`]) {
    t.throws(() => validate(schema, { phone }, 'body'), phone.slice(0, 40));
  }
  t.strictSame(['call Ｂｏｂ', '\u200b', '㈱'].map(writtenPhone), ['call Bob', null, '㈱']);
});
