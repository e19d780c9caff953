// These files run together, because they share a server, a demo shop and a browser, which take seconds to start.
import './assistants.ts';
import './customers-and-discounts.ts';
import './dark.ts';
import './keyboard.ts';
import './language.ts';
import './orders.ts';
import './rare-situations.ts';
import './shortcuts.ts';
