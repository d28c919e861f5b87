const orders = new Map();

export const findOrder = async id => orders.get(id);
export const listOrders = async ({ owner }) => [...orders.values()].filter(order => order.owner === owner);
export const cancel = async order => orders.set(order.id, { ...order, state: 'cancelled' });
