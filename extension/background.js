// The button and the menu.  Both open a tab of ours, which reads the page and sends it on.
const send = (tab, ask) => chrome.tabs.create({
  url: chrome.runtime.getURL(`send.html?${new URLSearchParams(ask)}`),
  index: tab.index + 1,
  openerTabId: tab.id,
});

chrome.runtime.onInstalled.addListener(({ reason }) => {
  for (const [id, title, contexts] of [
    ["page", "Print this page", ["page"]],
    ["selection", "Print the selection", ["selection"]],
    ["link", "Print the page this link leads to", ["link"]],
    ["later", "Read this page later", ["page"]],
    ["later-link", "Read the page this link leads to later", ["link"]],
  ]) chrome.contextMenus.create({ id, title, contexts }, () => chrome.runtime.lastError);
  if (reason === "install") chrome.runtime.openOptionsPage();
});

chrome.action.onClicked.addListener((tab) => send(tab, { tab: tab.id }));

chrome.contextMenus.onClicked.addListener((chosen, tab) => {
  if (chosen.menuItemId === "link") send(tab, { url: chosen.linkUrl });
  else if (chosen.menuItemId === "later") send(tab, { url: chosen.pageUrl, later: "yes" });
  else if (chosen.menuItemId === "later-link") send(tab, { url: chosen.linkUrl, later: "yes" });
  else send(tab, { tab: tab.id });
});
