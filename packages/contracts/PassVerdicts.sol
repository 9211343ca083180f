// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {TwoStepOwned} from "./PassGate.sol";

/// @notice A signed statement (EIP-712) that a wallet has a valid pass. `passChainId`, `gateway`: the chain and the gateway contract of the pass.
struct PassVerdict {
    uint256 passChainId;
    address gateway;
    uint256 gatekeeperNetwork;
    address wallet;
    uint64 issuedAt;
    uint64 notAfter;
}

/// @title Checks signed verdicts about passes, on any chain.
/// @notice A verdict is for one asking contract: the caller, on this chain. It holds for 600 s at most, and every doubt means no.
contract PassVerdicts is TwoStepOwned {
    bytes32 private constant DOMAIN = keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant VERDICT = keccak256(
        "PassVerdict(uint256 passChainId,address gateway,uint256 gatekeeperNetwork,address wallet,uint64 issuedAt,uint64 notAfter)"
    );
    /// @dev Half of the curve's order. Each signature has a twin with the other `s` (EIP-2).
    uint256 private constant MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    /// @notice The keys whose signatures count.
    mapping(address => bool) public isKey;

    /// @notice The signatures of the key count from now on, or no longer, also those that it has made before.
    event KeyChanged(address indexed key, bool counts);

    /// @param owner_ The owner, who adds and removes keys.
    /// @param key The first key.
    constructor(address owner_, address key) {
        _setOwner(owner_);
        emit KeyChanged(key, isKey[key] = true);
    }

    /// @notice Makes the signatures of a key count.
    function addKey(address key) external onlyOwner {
        emit KeyChanged(key, isKey[key] = true);
    }

    /// @notice Ends a key, and with it every verdict that it has signed.
    function removeKey(address key) external onlyOwner {
        emit KeyChanged(key, isKey[key] = false);
    }

    /// @notice Whether a key signed exactly this for the caller, and it holds now. `issuedAt` may be 60 s ahead of the block. It never reverts.
    function isValid(PassVerdict calldata verdict, bytes calldata signature) external view returns (bool) {
        (uint256 from, uint256 to) = (verdict.issuedAt, verdict.notAfter);
        if (from > block.timestamp + 60 || to < block.timestamp || to < from || to > from + 600) return false;
        if (signature.length != 65 || uint256(bytes32(signature[32:64])) > MAX_S) return false;
        bytes32 domain = keccak256(abi.encode(DOMAIN, keccak256("Gatepass verdict"), keccak256("1"), block.chainid, msg.sender));
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", domain, keccak256(abi.encode(VERDICT, verdict))));
        address signer = ecrecover(digest, uint8(signature[64]), bytes32(signature), bytes32(signature[32:]));
        return signer != address(0) && isKey[signer];
    }
}
