// These files run together, because they share a server, a demo shop and a browser, which take seconds to start.
import './describing-a-product.ts';
import './products-and-stock.ts';
import './saving-a-product.ts';
import './staff.ts';
// Runs last, because it changes the format of the shop's amounts.
import './amounts.ts';
