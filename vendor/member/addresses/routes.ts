/**
 * Routes of addresses, for members and for staff.
 */
import { pageQuery, route } from '@carton/runtime';
import { tooManyAddresses } from '../problems.ts';
import { ChangeMemberAddress, CreateMemberAddress, MemberAddress, MemberAddressPage } from './schemas.ts';
import { changeAddress, createAddress, listAddresses, removeAddress } from './service.ts';

const own = { tag: 'Member', access: 'member' } as const;
const byStaff = { tag: 'Members', access: 'staff' } as const;

const listMemberAddresses = route(
  {
    ...own,
    method: 'get',
    path: '/member/addresses',
    operationId: 'listMemberAddresses',
    summary: 'List your addresses, newest first',
    query: pageQuery(),
    status: 200,
    response: MemberAddressPage,
  },
  ({ db, session, query }) => listAddresses(db, session.memberId, query),
);

const createMemberAddress = route(
  {
    ...own,
    method: 'post',
    path: '/member/addresses',
    operationId: 'createMemberAddress',
    summary: 'Add an address to your account',
    body: CreateMemberAddress,
    status: 201,
    response: MemberAddress,
    problems: [tooManyAddresses],
    idempotent: true,
  },
  ({ db, session, body }) => createAddress(db, session.memberId, body),
);

const updateMemberAddress = route(
  {
    ...own,
    method: 'patch',
    path: '/member/addresses/:id',
    operationId: 'updateMemberAddress',
    summary: 'Change one of your addresses',
    body: ChangeMemberAddress,
    status: 200,
    response: MemberAddress,
  },
  ({ db, session, params, body }) => changeAddress(db, session.memberId, params.id, body),
);

const deleteMemberAddress = route(
  {
    ...own,
    method: 'delete',
    path: '/member/addresses/:id',
    operationId: 'deleteMemberAddress',
    summary: 'Remove one of your addresses',
    status: 204,
  },
  ({ db, session, params }) => removeAddress(db, session.memberId, params.id),
);

const createAddressOfMember = route(
  {
    ...byStaff,
    method: 'post',
    path: '/admin/members/:id/addresses',
    operationId: 'createAddressOfMember',
    summary: 'Add an address to a member',
    body: CreateMemberAddress,
    status: 201,
    response: MemberAddress,
    problems: [tooManyAddresses],
    idempotent: true,
  },
  ({ db, params, body }) => createAddress(db, params.id, body),
);

const updateAddressOfMember = route(
  {
    ...byStaff,
    method: 'patch',
    path: '/admin/members/:id/addresses/:addressId',
    operationId: 'updateAddressOfMember',
    summary: 'Change an address of a member',
    body: ChangeMemberAddress,
    status: 200,
    response: MemberAddress,
  },
  ({ db, params, body }) => changeAddress(db, params.id, params.addressId, body),
);

const deleteAddressOfMember = route(
  {
    ...byStaff,
    method: 'delete',
    path: '/admin/members/:id/addresses/:addressId',
    operationId: 'deleteAddressOfMember',
    summary: 'Remove an address of a member',
    status: 204,
  },
  ({ db, params }) => removeAddress(db, params.id, params.addressId),
);

export const addressRoutes = [
  listMemberAddresses,
  createMemberAddress,
  updateMemberAddress,
  deleteMemberAddress,
  createAddressOfMember,
  updateAddressOfMember,
  deleteAddressOfMember,
];
