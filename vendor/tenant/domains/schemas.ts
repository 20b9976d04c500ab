/**
 * Shapes of hosts.
 */
import {
  DateTime,
  DomainRecord,
  nullable,
  object,
  oneOf,
  recordFaultCodes,
  type Static,
  Type,
  Uuid,
} from '@carton/runtime';
import { Slug } from '../schemas.ts';

/** A host, exact or with `*.` before it. It is stored in lower case and ASCII. */
const Host = Type.String({ minLength: 1, maxLength: 253, examples: ['shop.example.com', '*.example.com'] });

export const DomainFault = object(
  {
    code: oneOf(recordFaultCodes, {
      description: '`lookup_failed`: the DNS lookup failed, so the record could not be checked',
    }),
    detail: Type.String(),
    fix: Type.String({ description: 'How to correct it' }),
  },
  { $id: 'DomainFault' },
);
export type DomainFault = Static<typeof DomainFault>;

export const TenantDomain = object(
  {
    id: Uuid,
    host: Host,
    state: oneOf(['pending', 'proved', 'approved'], {
      description: 'A pending host is not served until DNS proves it or the operator approves it',
    }),
    record: nullable(DomainRecord),
    checkedAt: nullable(Type.String({ ...DateTime, description: 'When DNS was last queried' })),
    error: nullable(DomainFault),
    createdAt: DateTime,
  },
  { $id: 'TenantDomain' },
);
export type TenantDomain = Static<typeof TenantDomain>;
export const TenantDomainList = object({ items: Type.Array(TenantDomain) }, { $id: 'TenantDomainList' });
export const AddTenantDomain = object({ host: Host }, { $id: 'AddTenantDomain' });
export const TenantLookup = object({ tenantSlug: Slug }, { $id: 'TenantLookup' });
