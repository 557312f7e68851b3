// The scheme of colours: that of the system, light or dark.

import { byId, capital, setText, store, stored } from "./base.js";

/** Goes to the next scheme. */
function changeTheme() {
  const schemes = ["system", "light", "dark"];
  const now = document.documentElement.dataset.theme ?? "system";
  setTheme(schemes[(schemes.indexOf(now) + 1) % schemes.length]);
}

function setTheme(scheme) {
  if (scheme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = scheme;
  setText(byId("theme").lastElementChild, capital(scheme));
  byId("theme").setAttribute("aria-label", `Colours: ${scheme === "system" ? "those of the system" : scheme}`);
  store("colours", scheme);
}

export function beginTheme() {
  byId("theme").addEventListener("click", changeTheme);
  setTheme(stored("colours") ?? "system");
}
