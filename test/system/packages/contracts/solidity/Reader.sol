// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

// Reads many facts of a contract in one call. A read that reverts is an answer too.
contract Reader {
    struct Answer {
        bool success;
        bytes data;
    }

    function read(address target, bytes[] calldata calls) external view returns (Answer[] memory answers) {
        answers = new Answer[](calls.length);
        for (uint256 i; i < calls.length; i++) (answers[i].success, answers[i].data) = target.staticcall(calls[i]);
    }
}
