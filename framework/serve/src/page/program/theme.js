// The scheme of colours: that of the system, light or dark.

import { byId, capital, setText } from "./base.js";

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
  try {
    localStorage.setItem("colours", scheme);
  } catch {
    // The choice lasts as long as the page.
  }
}

export function beginTheme() {
  byId("theme").addEventListener("click", changeTheme);
  let scheme = "system";
  try {
    scheme = localStorage.getItem("colours") ?? scheme;
  } catch {
    // Storage may be denied.
  }
  setTheme(scheme);
}
