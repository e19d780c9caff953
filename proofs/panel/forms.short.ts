// These files run together, because they share a server, a demo shop and a browser, which take seconds to start.
import './offline.ts';
import './quotes.ts';
import './returns.ts';
import './settings.ts';
import './stale-values.ts';
import './unsaved-input.ts';
