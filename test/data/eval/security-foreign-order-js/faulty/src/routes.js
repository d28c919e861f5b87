import { cancel, findOrder, listOrders } from './store.js';

export function routes(app) {
  app.get('/orders', requireLogin, async (request, response) => {
    response.json(await listOrders({ owner: request.user.id }));
  });

  app.post('/orders/:id/cancel', requireLogin, async (request, response) => {
    const order = await findOrder(request.params.id);
    if (order === undefined) return response.status(404).end();
    await cancel(order);
    response.status(204).end();
  });
}

function requireLogin(request, response, next) {
  if (request.user === undefined) response.status(401).end();
  else next();
}
