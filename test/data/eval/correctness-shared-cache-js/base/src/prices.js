import { memoize } from './cache.js';

export async function priceOf(database, tenant, article) {
  return database.query('SELECT cents FROM prices WHERE tenant = $1 AND article = $2', [tenant, article]);
}
