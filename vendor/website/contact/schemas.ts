/**
 * Schemas of messages by the contact form.
 */
import {
  changeOf,
  DateTime,
  Email,
  humanLines,
  humanText,
  nullable,
  object,
  oneOf,
  pageOf,
  pageQuery,
  type Static,
  Type,
  timestamps,
  Uuid,
  withOptions,
} from '@carton/runtime';

export const messageStatuses = ['open', 'done', 'spam'] as const;

const Name = humanText(200, { examples: ['Ada Lovelace'] });
const Subject = humanText(200, { examples: ['A question about shirts'] });
const Message = humanLines(5000, { examples: ['Do you have it in blue?'] });
const Status = oneOf(messageStatuses);

export const SendMessage = object(
  {
    name: Name,
    email: Email,
    subject: Type.Optional(nullable(Subject)),
    message: Message,
    website: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'A field that the form hides from people: only programs fill it in. Leave it empty',
        examples: [''],
      }),
    ),
    secondsOpen: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 31_536_000,
        description:
          'For how long the form was open when it was sent; nobody fills it in in less than 3 seconds. Required without `token`',
        examples: [42],
      }),
    ),
    token: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Of `GET /contact/token`. The store may require it',
      }),
    ),
  },
  { $id: 'SendContactMessage' },
);
export type SendMessage = Static<typeof SendMessage>;

export const ContactToken = object(
  {
    token: Type.String({ description: 'Ask for it when the form is shown, and send it with the message' }),
    notBefore: withOptions(DateTime, { description: 'A message that is sent earlier is dropped' }),
    expiresAt: DateTime,
  },
  { $id: 'ContactToken' },
);

export const ContactMessage = object(
  { id: Uuid, name: Name, email: Email, subject: nullable(Subject), message: Message, status: Status, ...timestamps },
  { $id: 'ContactMessage' },
);
/** A message as it is stored. */
export interface MessageRow extends Static<typeof ContactMessage> {
  /** The address in lower case. */
  emailKey: string;
  /** A hash of the sender's IP address, for an hour; null if other clients may share it. */
  clientKey: string | null;
  /** Whether its mail waits. */
  mailDelayed: boolean;
  /** When its mail, which had to wait, was announced. */
  announcedAt: string | null;
}
export const ContactMessagePage = pageOf(ContactMessage, 'ContactMessagePage');
export const ContactMessageQuery = pageQuery({ status: Type.Optional(Status) });
export const ChangeContactMessage = changeOf({ status: Status }, { $id: 'ChangeContactMessage' });
