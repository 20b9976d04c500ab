/**
 * The events of the control plane: their types and payloads. A payload has ids, states, tiers and times of the moment after
 * the change; no keys, secrets, labels or notes.
 */
import {
  DateTime,
  nullable,
  object,
  oneOf,
  type Static,
  type TSchema,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime/service';
import { CustomerId, LicenseState, Tier } from '../schemas.ts';

export interface EventDefinition<Payload extends TSchema = TSchema> {
  /** `license.minted` */
  readonly type: string;
  readonly summary: string;
  readonly payload: Payload;
}

const define = <Payload extends TSchema>(
  type: string,
  summary: string,
  payload: Payload,
): EventDefinition<Payload> => ({
  type,
  summary,
  payload,
});

const license = {
  customerId: CustomerId,
  tier: Tier,
  status: LicenseState,
  trial: Type.Boolean(),
  expiresAt: nullable(DateTime),
  endsAt: withOptions(nullable(DateTime), { description: 'When a replaced licence is revoked' }),
  replaces: withOptions(nullable(Uuid), { description: 'Id of the licence that it replaces' }),
  replacedBy: withOptions(nullable(Uuid), { description: 'Id of the licence that replaces it' }),
};
const LicensePayload = object(license, { $id: 'LicenseEventPayload' });
export type LicensePayload = Static<typeof LicensePayload>;

/** Days before its expiry, or its end, at which the vendor is warned of a licence. */
export const warningDays = [30, 14, 7, 1] as const;
const days = Type.Integer({ description: `How many days before: one of ${warningDays.join(', ')}`, examples: [14] });

export const licenseMinted = define('license.minted', 'A licence was minted', LicensePayload);
export const licenseUpdated = define(
  'license.updated',
  'The label, notes, limits or channel of a licence were changed',
  object(
    {
      ...license,
      changed: Type.Array(Type.String({ examples: ['maxBoxes'] }), { description: 'Names of the fields' }),
    },
    { $id: 'LicenseUpdatedPayload' },
  ),
);
export const licenseTierChanged = define(
  'license.tier_changed',
  'The tier of a licence was changed',
  object({ ...license, formerTier: Tier }, { $id: 'LicenseTierChangedPayload' }),
);
export const licenseSuspended = define('license.suspended', 'A licence was suspended', LicensePayload);
export const licenseReinstated = define('license.reinstated', 'A licence was reinstated', LicensePayload);
export const licenseRevoked = define('license.revoked', 'A licence was revoked', LicensePayload);
const WithFormerExpiry = object(
  { ...license, formerExpiresAt: nullable(DateTime) },
  { $id: 'LicenseExpiryChangedPayload' },
);
export const licenseRenewed = define('license.renewed', 'It was changed when a licence expires', WithFormerExpiry);
export const licenseConverted = define('license.converted', 'A trial became a paid licence', WithFormerExpiry);
export const licenseReplaced = define(
  'license.replaced',
  'A licence was replaced by another one, and will end',
  LicensePayload,
);
export const licenseFirstActivated = define(
  'license.first_activated',
  'A licence was activated for the first time',
  LicensePayload,
);
export const licenseInstallationAdded = define(
  'license.installation_added',
  'An installation activated a licence for the first time',
  object({ ...license, installationId: Uuid }, { $id: 'LicenseInstallationPayload' }),
);
const Warning = object({ ...license, days }, { $id: 'LicenseWarningPayload' });
export const licenseExpiring = define('license.expiring', 'A licence expires soon', Warning);
export const licenseExpired = define('license.expired', 'A licence has expired', LicensePayload);
export const licenseEnding = define('license.ending', 'A replaced licence ends soon', Warning);
export const licenseEnded = define('license.ended', 'A replaced licence has ended: it is revoked', LicensePayload);
export const releasePublished = define(
  'release.published',
  'A channel leads to another release',
  object({ channel: Type.String(), version: Type.String() }, { $id: 'ReleasePublishedPayload' }),
);

export const licenseEvents: readonly EventDefinition[] = [
  licenseMinted,
  licenseUpdated,
  licenseTierChanged,
  licenseSuspended,
  licenseReinstated,
  licenseRevoked,
  licenseRenewed,
  licenseConverted,
  licenseReplaced,
  licenseFirstActivated,
  licenseInstallationAdded,
  licenseExpiring,
  licenseExpired,
  licenseEnding,
  licenseEnded,
];
export const releaseEvents: readonly EventDefinition[] = [releasePublished];

const DomainPayload = object(
  {
    customerId: CustomerId,
    domain: Type.String({ examples: ['*.acme.example'] }),
    stopsAt: withOptions(nullable(DateTime), { description: 'When a failing domain stops' }),
  },
  { $id: 'DomainEventPayload' },
);
export const domainProved = define(
  'domain.proved',
  'A domain of a box is proved, and served from now on',
  DomainPayload,
);
export const domainFailing = define('domain.failing', 'A domain of a box has lost its proof', DomainPayload);
export const domainRecovered = define('domain.recovered', 'A failing domain is proved again', DomainPayload);
export const domainStopped = define(
  'domain.stopped',
  'A domain of a box is no longer served: its proof did not return',
  DomainPayload,
);
export const domainEvents: readonly EventDefinition[] = [domainProved, domainFailing, domainRecovered, domainStopped];

/** Of a webhook, for its own delivery: no webhook can choose or leave out the type. */
export const webhookTest = define('webhook.test', 'A test that an administrator has sent', object({}));
export const webhookDisabled = define(
  'webhook.disabled',
  'A webhook was disabled because it failed for three days or responded with 410',
  object({ reason: oneOf(['failing', 'gone']) }, { $id: 'WebhookDisabledPayload' }),
);
export const webhookEvents: readonly EventDefinition[] = [webhookTest, webhookDisabled];

/** The types that webhooks can choose. */
export const sentTypes: readonly string[] = [...licenseEvents, ...domainEvents, ...releaseEvents, webhookDisabled].map(
  ({ type }) => type,
);
