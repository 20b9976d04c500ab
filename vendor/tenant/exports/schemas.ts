/**
 * Shapes of exports.
 */
import { DateTime, nullable, object, oneOf, type Static, Type, Uuid, withOptions } from '@carton/runtime';

const exportStates = ['pending', 'running', 'ready', 'failed'] as const;

export const TenantExport = object(
  {
    id: Uuid,
    state: oneOf(exportStates),
    progress: object(
      {
        tables: Type.Integer({ minimum: 0, description: 'Tables written' }),
        rows: Type.Integer({ minimum: 0, description: 'Rows written' }),
        files: Type.Integer({ minimum: 0, description: 'Files written' }),
      },
      { $id: 'TenantExportProgress' },
    ),
    size: withOptions(nullable(Type.Integer({ minimum: 1 })), { description: 'Of the file, in bytes' }),
    sha256: withOptions(nullable(Type.String()), { description: 'Of the file, in hexadecimal' }),
    error: withOptions(nullable(Type.String()), { description: 'Why it failed' }),
    expiresAt: withOptions(nullable(DateTime), { description: 'When the file is deleted' }),
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'TenantExport' },
);
export type TenantExport = Static<typeof TenantExport>;
