/*
 * sockdiag: TCP_INFO and UNIX_DIAG.
 *
 * Runs in: master.
 */
#include "master/sockdiag.h"

#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

struct request {
	struct nlmsghdr head;
	struct unix_diag_req body;
};

int sockdiag_open(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
}

/* Finds the attribute UNIX_DIAG_RQLEN in one answer. */
static bool read_answer(const struct nlmsghdr *h, uint32_t inode, struct sockdiag_queue *q)
{
	const struct unix_diag_msg *m = NLMSG_DATA(h);
	const struct rtattr *a = (const struct rtattr *)(const void *)(m + 1);
	size_t left = h->nlmsg_len - NLMSG_LENGTH(sizeof(*m));

	if (m->udiag_ino != inode)
		return false;
	for (; RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		struct unix_diag_rqlen len;

		if (a->rta_type != UNIX_DIAG_RQLEN || RTA_PAYLOAD(a) < sizeof(len))
			continue;
		memcpy(&len, RTA_DATA(a), sizeof(len));
		*q = (struct sockdiag_queue){.waiting = len.udiag_rqueue, .room = len.udiag_wqueue};
		return true;
	}
	return false;
}

static bool unix_queue(int netlink_fd, uint32_t inode, struct sockdiag_queue *q)
{
	struct request r = {
	    .head = {.nlmsg_len = sizeof(r),
		.nlmsg_type = SOCK_DIAG_BY_FAMILY,
		.nlmsg_flags = NLM_F_REQUEST},
	    .body = {.sdiag_family = AF_UNIX,
		.udiag_states = UINT32_MAX,
		.udiag_ino = inode,
		.udiag_show = UDIAG_SHOW_RQLEN,
		.udiag_cookie = {UINT32_MAX, UINT32_MAX}},
	};
	union {
		struct nlmsghdr head;
		char bytes[1024];
	} answer;
	struct sockaddr_nl to = {.nl_family = AF_NETLINK};
	ssize_t got;

	if (netlink_fd < 0 ||
	    sendto(netlink_fd, &r, sizeof(r), 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		return false;
	/* The kernel answers within the send; an old answer to a lost question is skipped. */
	while ((got = recv(netlink_fd, &answer, sizeof(answer), 0)) > 0) {
		if (!NLMSG_OK(&answer.head, (size_t)got) ||
		    answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
		    answer.head.nlmsg_len < NLMSG_LENGTH(sizeof(struct unix_diag_msg)))
			continue;
		if (read_answer(&answer.head, inode, q))
			return true;
	}
	return false;
}

static bool tcp_queue(int listen_fd, struct sockdiag_queue *q)
{
	struct tcp_info info;
	socklen_t n = sizeof(info);

	if (getsockopt(listen_fd, IPPROTO_TCP, TCP_INFO, &info, &n) < 0)
		return false;
	/* Of a listening socket these two fields are the queue and its size. */
	*q = (struct sockdiag_queue){.waiting = info.tcpi_unacked, .room = info.tcpi_sacked};
	return true;
}

bool sockdiag_queue(int netlink_fd, int listen_fd, struct sockdiag_queue *q)
{
	struct stat st;
	int family = AF_UNSPEC;
	socklen_t n = sizeof(family);

	*q = (struct sockdiag_queue){0};
	if (getsockopt(listen_fd, SOL_SOCKET, SO_DOMAIN, &family, &n) < 0)
		return false;
	if (family != AF_UNIX)
		return tcp_queue(listen_fd, q);
	return fstat(listen_fd, &st) == 0 && unix_queue(netlink_fd, (uint32_t)st.st_ino, q);
}
