/**
 * Which e-mail addresses requests may name, and what handlers get.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { parseEmail, parseNewEmail } from '../emails.ts';
import { requestSchema } from '../input-forms.ts';
import { Email, humanText, KnownEmail, nullable, object, Type, trimmed } from '../schemas.ts';
import { faults, validate } from '../validation.ts';

t.test('addresses that are taken, as they are stored', async (t) => {
  const forms = {
    'ada@example.com': 'ada@example.com',
    'Ada.L+shop@Example.COM': 'Ada.L+shop@Example.COM',
    ' ada@example.com\n': 'ada@example.com',
    '\u00a0ada@example.com\u3000': 'ada@example.com',
    'ada@münchen.example': 'ada@xn--mnchen-3ya.example',
    'ada@MÜNCHEN.example': 'ada@xn--mnchen-3ya.example',
    'ada@mu\u0308nchen.example': 'ada@xn--mnchen-3ya.example',
    'ada@例え.テスト': 'ada@xn--r8jz45g.xn--zckzah',
    'ada@例え。テスト': 'ada@xn--r8jz45g.xn--zckzah',
    'ada@straße.example': 'ada@xn--strae-oqa.example',
    'ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ': 'ada@example.com',
    'jörg@münchen.example': 'jörg@xn--mnchen-3ya.example',
    'jo\u0308rg@example.com': 'jörg@example.com',
    '用户.一@example.com': '用户.一@example.com',
    'أحمد@example.com': 'أحمد@example.com',
  };
  for (const [text, email] of Object.entries(forms)) t.equal(parseEmail(text), email, text);
});

t.test('addresses that are not', async (t) => {
  const refused = [
    ...[
      '',
      ' ',
      'ada',
      '@example.com',
      'ada@',
      'ada@example',
      'ada@@example.com',
      'a da@example.com',
      'ada@exam ple.com',
    ],
    ...['.ada@example.com', 'ada.@example.com', 'a..b@example.com', 'ada@-example.com', 'ada@example-.com'],
    ...[
      'ada@exa\u0000mple.com',
      'a\u200bda@example.com',
      'ada\r\nBcc: eve@example.com',
      'ada@exämple',
      'ada<eve@example.com',
    ],
    ...[`${'a'.repeat(250)}@example.com`, `${'ö'.repeat(125)}@example.com`, `ada@${'ü'.repeat(250)}.example`],
  ];
  for (const text of refused) t.equal(parseEmail(text), null, JSON.stringify(text));
});

t.test('wherever a request has an e-mail address, the handler gets the stored form', async (t) => {
  const schema = requestSchema(object({ email: Email, other: nullable(Email), emails: Type.Array(Email) }));
  const sent = { email: ' ada@münchen.example', other: null, emails: ['a@b.example '] };
  t.strictSame(validate(schema, sent, 'body'), {
    email: 'ada@xn--mnchen-3ya.example',
    other: null,
    emails: ['a@b.example'],
  });
  const query = requestSchema(object({ email: Type.Optional(Email) }));
  t.strictSame(validate(query, { email: 'ada@MÜNCHEN.example' }, 'query'), { email: 'ada@xn--mnchen-3ya.example' });
  t.throws(() => validate(query, { email: 'ada' }, 'query'), {
    errors: exactly([{ detail: 'must be an e-mail address' }]),
  });
  t.equal(faults(Email, 'jörg@example.com'), null);
});

t.test('an address that no mail can reach is not taken, and names what is stored', async (t) => {
  const unreachable = [
    `${'a'.repeat(65)}@example.com`,
    `${'ö'.repeat(33)}@example.com`,
    `ada@${'a'.repeat(64)}.example`,
    ...['ada@xn--a.example', 'a@xn--99999999.example', 'a@mail.XN--A.example', 'ada@1.2.3.4', 'ada@example.123'],
  ];
  const schema = requestSchema(object({ email: nullable(Email) }));
  const known = requestSchema(object({ email: KnownEmail }));
  for (const email of unreachable) {
    t.equal(parseNewEmail(email), null, email);
    t.throws(() => validate(schema, { email }, 'body'), { errors: exactly([{ detail: 'must be an e-mail address' }]) });
    t.strictSame(validate(known, { email: ` ${email}` }, 'body'), { email });
    t.equal(faults(Email, email), null, 'a response has it');
  }
  for (const email of ['ada@xn--bcher-kva.example', `${'a'.repeat(64)}@example.com`, 'ada@1.2.example', 'ada@3m.com'])
    t.equal(parseNewEmail(email), email, email);
  t.throws(() => validate(known, { email: 'ada' }, 'body'), { message: /e-mail address/ });
});

t.test('texts that are trimmed', async (t) => {
  const Code = trimmed(Type.String({ minLength: 1, maxLength: 5, pattern: '^[a-z]+$' }));
  const schema = requestSchema(object({ code: nullable(Code) }));
  const read = (code: string | null) => validate(schema, { code }, 'body').code;
  for (const code of ['abc', ' abc', 'abc\t', '\u3000abc\u00a0']) t.equal(read(code), 'abc', JSON.stringify(code));
  t.equal(read(null), null);
  const Name = requestSchema(object({ name: humanText(9) }));
  t.strictSame(validate(Name, { name: ' e\u0301te\u0301 ' }, 'body'), { name: 'été' }, 'composed');
  for (const name of ['\u200b', ' \u3000', '\u0085'])
    t.throws(() => validate(Name, { name }, 'body'), { message: /not blank/ });
  for (const code of ['', ' ', 'a b', 'ABC', 'abcdef']) t.throws(() => read(code), { message: /^body .code/ }, code);
  t.equal(faults(Code, 'abc'), null, 'what is stored is not changed');
});
