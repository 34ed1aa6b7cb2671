import { commaList } from './lists.ts';

export const scopeValues = () =>
  commaList().refine((values) => values.length <= 100, 'has more than 100 entries');

/** Which part of the inventory a query is about. */
export const scopeFilters = {
  environments: scopeValues().optional(),
  cloud_providers: scopeValues().optional(),
  account_ids: scopeValues().optional(),
};
