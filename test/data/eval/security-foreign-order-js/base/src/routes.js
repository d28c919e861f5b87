import { findOrder, listOrders } from './store.js';

export function routes(app) {
  app.get('/orders', requireLogin, async (request, response) => {
    response.json(await listOrders({ owner: request.user.id }));
  });
}

function requireLogin(request, response, next) {
  if (request.user === undefined) response.status(401).end();
  else next();
}
