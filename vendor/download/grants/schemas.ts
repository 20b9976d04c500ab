/**
 * Schemas of the grants of buyers.
 */
import {
  changeOf,
  DateTime,
  nullable,
  object,
  oneOf,
  type Static,
  Type,
  timestamps,
  Uuid,
  withOptions,
} from '@carton/runtime';
import { Name, Size } from '../files/schemas.ts';

const grantEnds = ['refund', 'cancellation', 'staff'] as const;

const MaxDownloads = nullable(
  Type.Integer({ minimum: 1, maximum: 10_000, description: 'Null for unlimited', examples: [10] }),
);
const ExpiresAt = withOptions(nullable(DateTime), { description: 'Null for never' });

const shown = {
  id: Uuid,
  lineItemId: Uuid,
  fileName: Name,
  size: Size,
  state: oneOf(['available', 'limit_reached', 'expired', 'ended'], {
    description:
      '`limit_reached`: it was downloaded as often as it may be. `ended`: by a refund, a cancellation or staff',
  }),
  downloadCount: Type.Integer({ description: 'How often it was downloaded', examples: [2] }),
  maxDownloads: MaxDownloads,
  expiresAt: ExpiresAt,
};

export const DownloadGrant = object(
  {
    ...shown,
    orderId: Uuid,
    downloadId: Uuid,
    endedAt: nullable(DateTime),
    endedBy: nullable(oneOf(grantEnds)),
    firstDownloadedAt: nullable(DateTime),
    lastDownloadedAt: nullable(DateTime),
    ...timestamps,
  },
  { $id: 'DownloadGrant', description: 'The right of the buyer of a line of an order to a file' },
);
export type DownloadGrant = Static<typeof DownloadGrant>;

export const DownloadGrants = object({ items: Type.Array(DownloadGrant) }, { $id: 'DownloadGrants' });

export const ChangeDownloadGrant = changeOf(
  {
    maxDownloads: MaxDownloads,
    expiresAt: ExpiresAt,
    ended: Type.Boolean({ description: 'True ends the grant; false opens it again, if staff have ended it' }),
  },
  { $id: 'ChangeDownloadGrant' },
);
export type ChangeDownloadGrant = Static<typeof ChangeDownloadGrant>;

export const MemberDownloads = object(
  {
    items: Type.Array(
      object(
        {
          ...shown,
          url: nullable(
            Type.String({
              description: 'Below the address of this API, for this member; null unless it is `available`',
              examples: ['/member/downloads/0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001'],
            }),
          ),
        },
        { $id: 'MemberDownload' },
      ),
    ),
  },
  { $id: 'MemberDownloads' },
);
